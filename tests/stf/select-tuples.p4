// Sections "Select expressions" and "Products" of P4_16 1.2.5.
// Several values are compared with tuples of sets.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {
    bit<8> state;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.state = 0;
        transition select(hdr.h.a, hdr.h.b) {
            (1, 2): s1;
            (1, _): s2;
            (0x80 &&& 0x80, 5 .. 9): s3;
            (_, 0): s4;
            default: s5;
        }
    }
    state s1 {
        meta.state = 1;
        transition accept;
    }
    state s2 {
        meta.state = 2;
        transition accept;
    }
    state s3 {
        meta.state = 3;
        transition accept;
    }
    state s4 {
        meta.state = 4;
        transition accept;
    }
    state s5 {
        meta.state = 5;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = meta.state;
    }
}

#include "include/switch.p4"
