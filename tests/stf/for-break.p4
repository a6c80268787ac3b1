// Section "For statement" of P4_16 1.2.5.
// A break ends the loop at once: neither the rest of the body nor the update is done.
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
        bit<8> i;
        hdr.h.r = 0;
        for (i = 0; i < 10; i = i + 1) {
            if (i == hdr.h.a) {
                break;
            }
            hdr.h.r = hdr.h.r + 1;
        }
        hdr.h.s = i;
    }
}

#include "include/switch.p4"
