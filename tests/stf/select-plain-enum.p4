// Section "Select expressions" of P4_16 1.2.5.
// A select of an enum without an underlying type, which a variable of the parser has.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

enum kind_t { ONE, TWO, MANY }

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
        kind_t kind = kind_t.MANY;
        if (hdr.h.a == 1) { kind = kind_t.ONE; }
        if (hdr.h.a == 2) { kind = kind_t.TWO; }
        transition select(kind) {
            kind_t.ONE: s1;
            kind_t.TWO: s2;
            _: s3;
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
