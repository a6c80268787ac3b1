// Section "Method invocations and function calls" of P4_16 1.2.5.
// The underscore takes an out argument that nobody needs.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> rest;
}

void split(in bit<8> value, out bit<8> high, out bit<8> low) {
    high = value >> 4;
    low = value & 0xf;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        split(hdr.h.a, _, hdr.h.r);
    }
}

#include "include/switch.p4"
