// Section "Lookahead" of P4_16 1.2.5.
// lookahead gives a header, which is valid, and a struct.
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
struct two_t {
    bit<8> first;
    bit<8> second;
}

struct headers_t {
    result_t r;
    data_t h;
}
struct meta_t {
    bit<8> seen;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        extra_t next = packet.lookahead<extra_t>();
        two_t two = packet.lookahead<two_t>();
        meta.seen = two.second;
        if (next.isValid() && next.x == 0x1122) {
            meta.seen = 0xff;
        }
        packet.extract(hdr.h);
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
