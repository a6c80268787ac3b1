// Section "Expressions" of P4_16 1.2.5.
// Bitwise operators bind tighter than comparisons, other operators as in C; a concatenation binds as a sum.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> p;
    bit<8> q;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.p = hdr.h.a & hdr.h.b == hdr.h.c ? 8w1 : 8w2;
        hdr.h.q = hdr.h.a + hdr.h.b * hdr.h.c;
        hdr.h.r = hdr.h.a | hdr.h.b ^ hdr.h.c & 0xf;
        hdr.h.s = hdr.h.a[3:0] ++ hdr.h.b[3:0] + hdr.h.c;
    }
}

#include "include/switch.p4"
