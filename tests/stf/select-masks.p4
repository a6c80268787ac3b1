// Sections "Select expressions" and "Masks" of P4_16 1.2.5.
// A mask leaves out bits of the comparison, on both sides.
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
            0x10 &&& 0xf0: s1;
            0xf3 &&& 0x07: s2;
            0 &&& 0: s3;
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
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = meta.state;
    }
}

#include "include/switch.p4"
