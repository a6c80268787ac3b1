// Section "Switch statement with integer or enumerated type expression" of P4_16 1.2.5.
// A switch on a signed number.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
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
            -1: { hdr.h.r = 1; }
            -128: { hdr.h.r = 2; }
            127: { hdr.h.r = 3; }
            default: { hdr.h.r = 4; }
        }
    }
}

#include "include/switch.p4"
