// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A slice can be given by its lowest bit and its width.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
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
        hdr.h.r = hdr.h.a[6+:4];
        hdr.h.a[12+:3] = 5;
    }
}

#include "include/switch.p4"
