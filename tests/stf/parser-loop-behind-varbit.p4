// Sections "Transition statements" and "Data extraction" of P4_16 1.2.5.
// A parser goes round behind a header of any length, so where it is is not known.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> length;
    varbit<64> v;
}
header pair_t {
    bit<8> more;
    bit<8> x;
}
header result_t {
    bit<8> code;
    bit<8> sum;
}

struct headers_t {
    result_t r;
    data_t h;
    pair_t p;
}
struct meta_t {
    bit<8> sum;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        meta.sum = 0;
        packet.extract(hdr.h, (bit<32>) packet.lookahead<bit<8>>() << 3);
        transition next;
    }
    state next {
        packet.extract(hdr.p);
        meta.sum = meta.sum + hdr.p.x;
        transition select(hdr.p.more) {
            0: accept;
            default: next;
        }
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.r.code = 4; }
        else if (std.parser_error == error.ParserTimeout) { hdr.r.code = 6; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
        hdr.r.sum = meta.sum;
    }
}

#include "include/switch.p4"
