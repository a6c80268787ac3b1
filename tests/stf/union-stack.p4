// Sections "Operations on header unions" and "Header stacks" of P4_16 1.2.5.
// A stack of unions takes options of two lengths in the order of the packet.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> count;
    bit<8> r;
}

header short_t {
    bit<8> kind;
    bit<8> value;
}
header long_t {
    bit<8> kind;
    bit<24> value;
}
header_union either_t {
    short_t small;
    long_t large;
}

struct headers_t {
    data_t h;
    either_t[3] o;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition option;
    }
    state option {
        transition select(packet.lookahead<bit<8>>()) {
            1: small;
            2: large;
            default: accept;
        }
    }
    state small {
        packet.extract(hdr.o.next.small);
        transition option;
    }
    state large {
        packet.extract(hdr.o.next.large);
        transition option;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 0;
        if (hdr.o[0].small.isValid()) { hdr.h.r = 1; }
        if (hdr.o[1].large.isValid()) { hdr.h.r = hdr.h.r + 2; }
        if (hdr.o[2].isValid()) { hdr.h.r = hdr.h.r + 4; }
    }
}

#include "include/switch.p4"
