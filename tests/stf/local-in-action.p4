// Sections "Variables" and "Actions" of P4_16 1.2.5.
// Variables of an action begin anew each time it runs.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action count(out bit<8> result) {
        bit<8> n = hdr.h.a;
        n = n + 1;
        result = n;
    }

    apply {
        count(hdr.h.r);
        count(hdr.h.s);
    }
}

#include "include/switch.p4"
