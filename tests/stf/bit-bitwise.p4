// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// And, or, exclusive or and complement go bit by bit and keep the width.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<12> a;
    bit<12> b;
    bit<12> and_r;
    bit<12> or_r;
    bit<12> xor_r;
    bit<12> not_r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.and_r = hdr.h.a & hdr.h.b;
        hdr.h.or_r = hdr.h.a | hdr.h.b;
        hdr.h.xor_r = hdr.h.a ^ hdr.h.b;
        hdr.h.not_r = ~hdr.h.a;
    }
}

#include "include/switch.p4"
