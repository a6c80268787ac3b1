// Section "Notes common to all switch statements" of P4_16 1.2.5.
// A label falls through to the block of default.
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
            1: { hdr.h.r = 1; }
            2:
            default: { hdr.h.r = 2; }
        }
    }
}

#include "include/switch.p4"
