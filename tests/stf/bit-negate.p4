// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A negation is the distance to two to the power of the width; that of zero is zero. Unary plus does nothing.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<5> a;
    bit<5> r;
    bit<5> p;
    bit<1> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = -hdr.h.a;
        hdr.h.p = +hdr.h.a;
    }
}

#include "include/switch.p4"
