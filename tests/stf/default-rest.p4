// Section "Initializing with default values" of P4_16 1.2.5.
// Three dots at the end of an initialiser give the fields that are left out their default values.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
    bit<8> u;
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
        pair_t p = { 5, ... };
        pair_t q = { y = hdr.h.a, ... };
        hdr.h.r = p.x;
        hdr.h.s = p.y;
        hdr.h.t = q.x;
        hdr.h.u = q.y;
    }
}

#include "include/switch.p4"
