// Section "Name resolution" of P4_16 1.2.5.
// A name means what is declared nearest; one with a dot in front means what is declared outside of everything.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
}

const bit<8> x = 1;

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    const bit<8> x = 2;

    apply {
        hdr.h.r = x + .x;
        {
            bit<8> y = 4;
            hdr.h.s = y + x;
            {
                bit<8> y = 5;
                hdr.h.t = y;
            }
            hdr.h.t = hdr.h.t + y;
        }
    }
}

#include "include/switch.p4"
