// Section "For statement" of P4_16 1.2.5.
// A loop with a beginning, a condition and an update; it can run no time at all.
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
        for (bit<8> i = 0; i < hdr.h.a; i = i + 1) {
            hdr.h.r = hdr.h.r + i;
        }
    }
}

#include "include/switch.p4"
