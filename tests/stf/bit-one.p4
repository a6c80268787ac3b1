// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// Arithmetic of single bits: a sum is an exclusive or, a negation does nothing.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<1> a;
    bit<1> b;
    bit<1> sum;
    bit<1> difference;
    bit<1> product;
    bit<1> negation;
    bit<2> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.sum = hdr.h.a + hdr.h.b;
        hdr.h.difference = hdr.h.a - hdr.h.b;
        hdr.h.product = hdr.h.a * hdr.h.b;
        hdr.h.negation = -hdr.h.a;
    }
}

#include "include/switch.p4"
