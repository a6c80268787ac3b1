// Section "A note about shifts" of P4_16 1.2.5.
// A shift by a number that is known only at run time; by the width or more, nothing is left.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<13> a;
    bit<8> n;
    bit<13> left;
    bit<13> right;
    bit<1> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.left = hdr.h.a << hdr.h.n;
        hdr.h.right = hdr.h.a >> hdr.h.n;
    }
}

#include "include/switch.p4"
