// Sections "Select expressions" and "Ranges" of P4_16 1.2.5.
// A range has both of its ends; one that ends before it begins is empty.
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
        transition select(hdr.h.a) {
            10 .. 20: s1;
            30 .. 25: s2;
            0 .. 9: s3;
            255 .. 255: s4;
            _: s5;
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
