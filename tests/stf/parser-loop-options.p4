// Sections "Transition statements" and "Data extraction" of P4_16 1.2.5.
// A parser goes round headers of several lengths, in any order, until a byte says that no more comes. No stack bounds it: where 64 bytes
// have been read, it ends with an error that core.p4 has for that.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}
header pair_t {
    bit<8> kind;
    bit<8> x;
}
header three_t {
    bit<8> kind;
    bit<16> x;
}
header result_t {
    bit<8> code;
}

struct headers_t {
    result_t r;
    data_t h;
    pair_t p;
    three_t t;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition next;
    }
    state next {
        transition select(packet.lookahead<bit<8>>()) {
            0: last;
            1: pad;
            2: pair;
            3: three;
        }
    }
    state pad {
        packet.advance(8);
        transition next;
    }
    state pair {
        packet.extract(hdr.p);
        transition next;
    }
    state three {
        packet.extract(hdr.t);
        transition next;
    }
    state last {
        packet.advance(8);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.NoMatch) { hdr.r.code = 2; }
        else if (std.parser_error == error.ParserTimeout) { hdr.r.code = 6; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
    }
}

#include "include/switch.p4"
