// Section "Parameterization" of P4_16 1.2.5.
// A parser is made with constructor parameters, by name, once with each value.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header extra_t {
    bit<16> x;
}
parser Skip(packet_in packet)(bit<32> bytes) {
    state start {
        packet.advance(bytes * 8);
        transition accept;
    }
}

struct headers_t {
    result_t r;
    data_t h;
    extra_t x;
    extra_t y;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Skip(bytes = 1) one;
    Skip(2) two;
    state start {
        packet.extract(hdr.h);
        one.apply(packet);
        packet.extract(hdr.x);
        two.apply(packet);
        packet.extract(hdr.y);
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
    }
}

#include "include/switch.p4"
