// Sections "Operations on arbitrary-precision integers" and "Implicit casts" of P4_16 1.2.5.
// A constant without a width is cut to the width of the other operand: of a negative one the two's complement is kept.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    int<8> t;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a + (-1);
        hdr.h.s = hdr.h.a & 0xf;
        hdr.h.t = -3;
    }
}

#include "include/switch.p4"
