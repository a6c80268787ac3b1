// Sections "Operations on structure-valued expressions" and "Assignment statement" of P4_16 1.2.5.
// The right side of an assignment is evaluated before anything is written, so two fields change places.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
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
        p = { p.y, p.x };
        hdr.h.a = p.x;
        hdr.h.b = p.y;
    }
}

#include "include/switch.p4"
