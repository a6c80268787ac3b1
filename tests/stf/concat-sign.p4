// Section "Concatenation" of P4_16 1.2.5.
// The sign of a concatenation is that of its left operand.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<4> a;
    bit<4> b;
    int<16> signed_r;
    bit<16> unsigned_r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.signed_r = (int<16>)(hdr.h.a ++ hdr.h.b);
        hdr.h.unsigned_r = (bit<16>)(hdr.h.b ++ hdr.h.a);
    }
}

#include "include/switch.p4"
