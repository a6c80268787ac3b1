// Section "For statement" of P4_16 1.2.5.
// Loops in each other; a break and a continue belong to the inner one.
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
        hdr.h.r = 0;
        for (bit<8> i = 0; i < 3; i = i + 1) {
            for (bit<8> j = 0; j < 5; j = j + 1) {
                if (j == 1) { continue; }
                if (j == hdr.h.a) { break; }
                hdr.h.r = hdr.h.r + 1;
            }
            hdr.h.r = hdr.h.r + 16;
        }
    }
}

#include "include/switch.p4"
