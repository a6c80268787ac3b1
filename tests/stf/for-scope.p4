// Sections "For statement" and "Block statement" of P4_16 1.2.5.
// A variable of a loop ends with it, and hides another one of its name.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bit<8> i = 100;
        for (bit<8> i = 0; i < 2; i = i + 1) {
            bit<8> j = i;
            hdr.h.r = hdr.h.r + j;
        }
        hdr.h.r = hdr.h.r + i;
    }
}

#include "include/switch.p4"
