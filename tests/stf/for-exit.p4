// Sections "For statement" and "Exit statement" of P4_16 1.2.5.
// An exit in a loop ends the control.
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
        for (bit<8> i = 0; i < 5; i = i + 1) {
            hdr.h.r = i;
            if (i == hdr.h.a) { exit; }
        }
        hdr.h.r = 99;
    }
}

#include "include/switch.p4"
