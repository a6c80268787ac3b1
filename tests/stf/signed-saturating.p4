// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// Saturating sums and differences of signed numbers end at both ends of their range.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<6> a;
    int<6> b;
    int<6> sum;
    int<6> difference;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.sum = hdr.h.a |+| hdr.h.b;
        hdr.h.difference = hdr.h.a |-| hdr.h.b;
    }
}

#include "include/switch.p4"
