// Section "Concatenation" of P4_16 1.2.5.
// A concatenation has the bits of its left operand in front, and the widths of both.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<3> a;
    bit<5> b;
    bit<8> r;
    bit<16> all;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a ++ hdr.h.b;
        hdr.h.all = hdr.h.b ++ 4w0xc ++ hdr.h.a ++ 4w1;
    }
}

#include "include/switch.p4"
