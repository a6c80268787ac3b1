// Section "Invoking controls" of P4_16 1.2.5.
// Controls in controls, three deep, each with variables of its own that have one name.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

control Inner(inout bit<8> x) {
    bit<8> y = 100;
    apply {
        x = x + y;
    }
}
control Outer(inout bit<8> x) {
    bit<8> y = 10;
    Inner() inner;
    apply {
        x = x + 1;
        inner.apply(x);
        x = x + y;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bit<8> x = hdr.h.a;
        Outer.apply(x);
        hdr.h.r = x;
    }
}

#include "include/switch.p4"
