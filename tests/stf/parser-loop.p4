// Section "Transition statements" of P4_16 1.2.5.
// A state goes to itself until a counter, which a variable of the parser is, comes to zero.
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

struct headers_t {
    result_t r;
    data_t h;
}
struct meta_t {
    bit<8> sum;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> left;
    state start {
        packet.extract(hdr.h);
        left = hdr.h.a;
        meta.sum = 0;
        transition check;
    }
    state check {
        transition select(left) {
            0: accept;
            default: byte;
        }
    }
    state byte {
        meta.sum = meta.sum + packet.lookahead<bit<8>>();
        packet.advance(8);
        left = left - 1;
        transition check;
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
        hdr.r.more = meta.sum;
    }
}

#include "include/switch.p4"
