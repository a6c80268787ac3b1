// Section "Operations on structure-valued expressions" of P4_16 1.2.5.
// A structure-valued expression with its type in front of it is compared and its fields are read.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        pair_t p = { hdr.h.a, hdr.h.b };
        hdr.h.r = p == (pair_t){ x = 1, y = 2 } ? 8w1 : 8w2;
        if (p != (pair_t){ 1, 2 }) { hdr.h.r = hdr.h.r + ((pair_t){ y = 16, x = 3 }).y; }
    }
}

#include "include/switch.p4"
