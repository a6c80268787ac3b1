// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// A signed number is shifted left as an unsigned one, and its sign may change.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    bit<8> n;
    int<8> r;
    int<8> by_1;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a << hdr.h.n;
        hdr.h.by_1 = hdr.h.a << 1;
    }
}

#include "include/switch.p4"
