// Section "Operations on tuple expressions" of P4_16 1.2.5.
// A tuple is made of two values, copied, and its fields are read by their numbers.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<16> b;
    bit<8> r;
    bit<16> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        tuple<bit<8>, bit<16>> t = { hdr.h.a, hdr.h.b };
        tuple<bit<8>, bit<16>> u = t;
        t = { 1, 2 };
        hdr.h.r = u[0] + t[0];
        hdr.h.s = u[1] + t[1];
    }
}

#include "include/switch.p4"
