// Section "Operations on struct types" of P4_16 1.2.5.
// Two structs are equal where all their fields are, also those of structs in them.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> r;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}
struct outer_t {
    pair_t inner;
    bit<8> z;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        outer_t p = { { hdr.h.a, 1 }, hdr.h.c };
        outer_t q = { { hdr.h.b, 1 }, 7 };
        hdr.h.r = 0;
        if (p == q) { hdr.h.r = 1; }
        if (p != q) { hdr.h.r = hdr.h.r + 2; }
        if (p.inner == q.inner) { hdr.h.r = hdr.h.r + 4; }
    }
}

#include "include/switch.p4"
