// Sections "Switch statement with integer or enumerated type expression" and "Notes common to all switch statements" of P4_16
// 1.2.5.
// A switch on a number: a label without a block falls through to the next block, a block does not.
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
        switch (hdr.h.a) {
            1:
            2: { hdr.h.r = 12; }
            3: { hdr.h.r = 3; }
            4 + 4: { hdr.h.r = 8; }
            default: { hdr.h.r = 99; }
        }
    }
}

#include "include/switch.p4"
