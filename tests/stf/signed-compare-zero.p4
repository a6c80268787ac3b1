// Sections "Operations on fixed-width signed integers" and "Implicit casts" of P4_16 1.2.5.
// A signed number is compared with zero and with negative constants, which are cast to its type.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.a < 0) {
            hdr.h.r = hdr.h.a <= -100 ? 8w1 : 8w2;
        } else {
            hdr.h.r = hdr.h.a > 100 ? 8w4 : 8w3;
        }
    }
}

#include "include/switch.p4"
