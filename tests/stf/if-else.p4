// Sections "Conditional statement" and "Empty statement" of P4_16 1.2.5.
// An else belongs to the nearest if; empty statements do nothing.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        ;
        if (hdr.h.a == 1)
            if (hdr.h.b == 1)
                hdr.h.r = 1;
            else
                hdr.h.r = 2;
        if (hdr.h.a == 2) {
        } else if (hdr.h.b == 2) {
            hdr.h.r = hdr.h.r + 16;
            ;
        }
    }
}

#include "include/switch.p4"
