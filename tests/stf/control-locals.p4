// Sections "Invoking controls" and "Variables" of P4_16 1.2.5.
// Variables of a control begin anew each time it is applied.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

control Count(in bit<8> start, out bit<8> result) {
    bit<8> n = start;
    apply {
        n = n + 1;
        result = n;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Count() count;

    apply {
        count.apply(hdr.h.a, hdr.h.r);
        count.apply(hdr.h.a, hdr.h.s);
    }
}

#include "include/switch.p4"
