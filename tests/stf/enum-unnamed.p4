// Section "Operations on enum types" of P4_16 1.2.5.
// A value that no member has is equal to none of them, and keeps its bits.
#include <core.p4>
#include <v1model.p4>

enum bit<2> small_t { ZERO = 0, ONE = 1, TWO = 2 }

header data_t {
    small_t a;
    bit<6> rest;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.a == small_t.ZERO) { hdr.h.r = 10; }
        else if (hdr.h.a == small_t.ONE) { hdr.h.r = 11; }
        else if (hdr.h.a == small_t.TWO) { hdr.h.r = 12; }
        else { hdr.h.r = (bit<8>)(bit<2>)hdr.h.a; }
    }
}

#include "include/switch.p4"
