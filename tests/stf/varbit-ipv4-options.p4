// Section "Variable-width extraction" of P4_16 1.2.5.
// Options whose length follows from a field of a header before, as in IPv4, and a check of that field.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<4> version;
    bit<4> words;
    bit<24> rest;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header extra_t {
    bit<16> x;
}
header options_t {
    varbit<64> data;
}
error { WrongLength }

struct headers_t {
    result_t r;
    data_t h;
    options_t o;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        verify(hdr.h.words >= 2, error.WrongLength);
        transition select(hdr.h.words) {
            2: accept;
            _: options;
        }
    }
    state options {
        packet.extract(hdr.o, ((bit<32>)hdr.h.words - 2) * 16);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.NoMatch) { hdr.r.code = 2; }
        else if (std.parser_error == error.StackOutOfBounds) { hdr.r.code = 3; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.r.code = 4; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
        hdr.r.more = hdr.o.isValid() ? 8w0 : 8w1;
    }
}

#include "include/switch.p4"
