// Sections "Operations on struct types" and "L-values" of P4_16 1.2.5.
// A struct in a struct is an l-value, and so are its fields.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
    bit<8> s;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}
struct outer_t {
    pair_t first;
    pair_t second;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        outer_t p = { { 1, 2 }, { 3, 4 } };
        pair_t q = { hdr.h.a, hdr.h.b };
        p.second = q;
        p.first = p.second;
        p.first.y = 9;
        hdr.h.r = p.first.x + p.first.y;
        hdr.h.s = p.second.y;
    }
}

#include "include/switch.p4"
