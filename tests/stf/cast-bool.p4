// Section "Explicit casts" of P4_16 1.2.5.
// A single bit and a Boolean are cast into each other.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<1> a;
    bit<1> b;
    bit<1> and_r;
    bit<1> not_r;
    bit<4> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bool x = (bool)hdr.h.a;
        bool y = (bool)hdr.h.b;
        hdr.h.and_r = (bit<1>)(x && y);
        hdr.h.not_r = (bit<1>)!x;
    }
}

#include "include/switch.p4"
