// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// Signed numbers of 72 bits: sums, comparisons and shifts go through all of them.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<72> a;
    int<72> b;
    int<72> sum;
    int<72> shifted;
    bit<8> less;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.sum = hdr.h.a + hdr.h.b;
        hdr.h.shifted = hdr.h.a >> 66;
        hdr.h.less = hdr.h.a < hdr.h.b ? 8w1 : 8w0;
    }
}

#include "include/switch.p4"
