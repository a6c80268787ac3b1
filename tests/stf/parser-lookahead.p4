// Section "Lookahead" of P4_16 1.2.5.
// lookahead gives the next bits and does not take them.
#include <core.p4>
#include <v1model.p4>

header result_t {
    bit<8> code;
    bit<8> more;
}
header extra_t {
    bit<16> x;
}

struct headers_t {
    result_t r;
    extra_t x;
}
struct meta_t {
    bit<8> seen;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        bit<8> kind = packet.lookahead<bit<8>>();
        bit<12> wide = packet.lookahead<bit<12>>();
        meta.seen = wide[7:0];
        transition select(kind) {
            0x11: more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.x);
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
        hdr.r.more = meta.seen;
    }
}

#include "include/switch.p4"
