// Section "A note about shifts" of P4_16 1.2.5.
// Shifts of 100 bits across words, by a number known at run time.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<100> a;
    bit<7> n;
    bit<100> left;
    bit<100> right;
    bit<5> rest;
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
