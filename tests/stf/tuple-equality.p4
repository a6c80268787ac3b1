// Section "Operations on tuple expressions" of P4_16 1.2.5.
// Two tuples are equal where all their fields are.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        tuple<bit<8>, bool> t = { hdr.h.a, true };
        tuple<bit<8>, bool> u = { hdr.h.b, hdr.h.b == hdr.h.a };
        hdr.h.r = t == u ? 8w1 : 8w2;
        if (t != u) { hdr.h.r = hdr.h.r + 4; }
    }
}

#include "include/switch.p4"
