// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A slice can be taken of what an expression gives.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<4> r;
    bit<4> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (hdr.h.a + hdr.h.b)[7:4];
    }
}

#include "include/switch.p4"
