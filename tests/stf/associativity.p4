// Section "Expressions" of P4_16 1.2.5.
// Operators of the same rank go from the left to the right.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> p;
    bit<8> q;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.p = hdr.h.a - hdr.h.b - hdr.h.c;
        hdr.h.q = hdr.h.a << 2 >> 1;
        hdr.h.r = hdr.h.a |-| hdr.h.b + hdr.h.c;
    }
}

#include "include/switch.p4"
