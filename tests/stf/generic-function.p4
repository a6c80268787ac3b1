// Section "Operations on types that are type variables" of P4_16 1.2.5.
// A generic function goes with values of two types, one of which is given.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    bit<16> d;
}

void swap<T>(inout T left, inout T right) {
    T old = left;
    left = right;
    right = old;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        swap(hdr.h.a, hdr.h.b);
        swap<bit<16>>(hdr.h.c, hdr.h.d);
    }
}

#include "include/switch.p4"
