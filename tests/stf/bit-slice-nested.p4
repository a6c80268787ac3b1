// Sections "Operations on fixed-width bit types (unsigned integers)" and "L-values" of P4_16 1.2.5.
// A slice of a slice, also where it is assigned to: its bits count from the inner slice.
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
        hdr.h.r = hdr.h.a[11:4][5:2];
        hdr.h.a[15:8][7:4] = 0xe;
    }
}

#include "include/switch.p4"
