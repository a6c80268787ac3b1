// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// A negation of a signed number; the smallest one is its own negation.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    int<8> r;
    int<8> p;
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
