// Section "For statement" of P4_16 1.2.5.
// A continue leaves out the rest of the body; the update is done.
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
        for (bit<8> i = 0; i < 6; i = i + 1) {
            if (i == hdr.h.a) {
                continue;
            }
            hdr.h.r = hdr.h.r + i;
        }
    }
}

#include "include/switch.p4"
