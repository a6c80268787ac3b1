// Section "For statement" of P4_16 1.2.5.
// A loop over a range has both of its ends, and evaluates them once.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 0;
        hdr.h.s = 0;
        for (bit<8> i in 2 .. hdr.h.a) {
            hdr.h.r = hdr.h.r + i;
            hdr.h.a = 0;
            hdr.h.s = hdr.h.s + 1;
        }
    }
}

#include "include/switch.p4"
