// Sections "Explicit casts" and "Illegal arithmetic expressions" of P4_16 1.2.5.
// Sign and width change in two casts, and their order makes a difference.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<16> by_sign;
    bit<16> by_zero;
    int<4> small;
    bit<4> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.by_sign = (bit<16>)(int<16>)(int<8>)hdr.h.a;
        hdr.h.by_zero = (bit<16>)hdr.h.a;
        hdr.h.small = (int<4>)(bit<4>)hdr.h.a;
    }
}

#include "include/switch.p4"
