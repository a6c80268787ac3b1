// Section "Function declarations" of P4_16 1.2.5.
// A function gives a value from any of its returns, and can call others.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

bit<8> larger(in bit<8> left, in bit<8> right) {
    if (left > right) {
        return left;
    }
    return right;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = larger(hdr.h.a, larger(hdr.h.b, 10));
    }
}

#include "include/switch.p4"
