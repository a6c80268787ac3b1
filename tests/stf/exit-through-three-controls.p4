// Section "Exit statement" of P4_16 1.2.5.
// An exit three controls deep ends all of them; inout parameters are copied out on each level, and nothing behind is done.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

control Inner(inout bit<8> x) {
    apply {
        x = x + 1;
        if (x == 7) { exit; }
        x = x + 10;
    }
}
control Middle(inout bit<8> y) {
    Inner() inner;
    apply {
        y = y + 1;
        inner.apply(y);
        y = y + 10;
    }
}
control Outer(inout bit<8> z) {
    Middle() middle;
    apply {
        z = z + 1;
        middle.apply(z);
        z = z + 10;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Outer() outer;

    apply {
        outer.apply(hdr.h.a);
        hdr.h.r = 1;
    }
}

#include "include/switch.p4"
