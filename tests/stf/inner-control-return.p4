// Sections "Return statement" and "Invoking controls" of P4_16 1.2.5.
// A return in a control that another one applies ends only that; its parameters are copied out.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

control Inner(inout bit<8> x, out bit<8> y) {
    apply {
        y = 1;
        x = x + 1;
        if (x == 6) {
            return;
        }
        x = x + 10;
        y = 2;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Inner() inner;

    apply {
        inner.apply(hdr.h.a, hdr.h.r);
        hdr.h.s = 9;
    }
}

#include "include/switch.p4"
