// Section "Operations on structure-valued expressions" of P4_16 1.2.5.
// Fields of a structure-valued expression have names, in any order; what stands there is evaluated from the left to the right.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

bit<8> count(inout bit<8> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        pair_t p = { y = count(hdr.h.a), x = count(hdr.h.a) };
        hdr.h.r = p.x;
        hdr.h.s = p.y;
    }
}

#include "include/switch.p4"
