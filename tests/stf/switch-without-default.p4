// Sections "Switch statement with integer or enumerated type expression" and "Notes common to all switch statements" of P4_16
// 1.2.5.
// Without a default, a value that no label has does nothing; a last label without a block does nothing either.
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
        }
    }
}

#include "include/switch.p4"
