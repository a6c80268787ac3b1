// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// A slice of a signed number is unsigned, so a cast to more bits puts zeros in front.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    bit<8> high;
    int<8> same;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.high = (bit<8>)hdr.h.a[7:4];
        hdr.h.same[7:4] = hdr.h.a[3:0];
    }
}

#include "include/switch.p4"
