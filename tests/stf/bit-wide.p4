// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// Carries and borrows of 128 bits go all the way.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<128> a;
    bit<128> b;
    bit<128> sum;
    bit<128> difference;
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
    }
}

#include "include/switch.p4"
