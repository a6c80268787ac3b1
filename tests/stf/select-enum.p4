// Sections "Select expressions" and "Operations on enum types" of P4_16 1.2.5.
// A select of an enum with an underlying type; a value that has no name goes to default.
#include <core.p4>
#include <v1model.p4>

enum bit<8> kind_t { ONE = 1, TEN = 10 }

header data_t {
    kind_t a;
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
            kind_t.ONE: s1;
            kind_t.TEN: s2;
            default: s3;
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
