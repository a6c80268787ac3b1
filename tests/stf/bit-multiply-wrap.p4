// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A product is truncated to the width of its operands.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<11> a;
    bit<11> b;
    bit<11> r;
    bit<11> by_8;
    bit<4> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a * hdr.h.b;
        hdr.h.by_8 = hdr.h.a * 8;
    }
}

#include "include/switch.p4"
