// Section "Expressions on Booleans" of P4_16 1.2.5.
// And, or, not and the comparisons of Booleans.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<1> a;
    bit<1> b;
    bit<1> and_r;
    bit<1> or_r;
    bit<1> not_r;
    bit<1> eq;
    bit<1> ne;
    bit<1> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bool a = hdr.h.a == 1;
        bool b = hdr.h.b == 1;
        hdr.h.and_r = (bit<1>)(a && b);
        hdr.h.or_r = (bit<1>)(a || b);
        hdr.h.not_r = (bit<1>)(!a);
        hdr.h.eq = (bit<1>)(a == b);
        hdr.h.ne = (bit<1>)(a != b);
    }
}

#include "include/switch.p4"
