// Sections "Assignment statement" and "Operations on struct types" of P4_16 1.2.5.
// A struct is copied as a whole; what is written to one of the copies later does not show in the other.
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

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        pair_t p;
        p.x = hdr.h.a;
        p.y = hdr.h.b;
        pair_t q = p;
        p.x = 0;
        q.y = q.y + 1;
        hdr.h.r = q.x;
        hdr.h.s = p.y;
    }
}

#include "include/switch.p4"
