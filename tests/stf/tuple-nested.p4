// Sections "Operations on tuple expressions" and "Tuple types" of P4_16 1.2.5.
// Tuples in tuples, and one that becomes a struct.
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

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        tuple<bit<8>, tuple<bit<8>, bit<8>>> t = { 1, { hdr.h.a, 3 } };
        tuple<bit<8>, bit<8>> inner = t[1];
        pair_t p = { inner[1], t[1][0] };
        hdr.h.r = p.x;
        hdr.h.s = p.y;
    }
}

#include "include/switch.p4"
