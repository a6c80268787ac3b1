// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// A signed number is shifted right with its sign; by the width or more, only the sign is left.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<7> a;
    bit<8> n;
    int<7> r;
    int<7> by_2;
    bit<3> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a >> hdr.h.n;
        hdr.h.by_2 = hdr.h.a >> 2;
    }
}

#include "include/switch.p4"
