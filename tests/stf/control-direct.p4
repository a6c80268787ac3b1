// Section "Direct type invocation" of P4_16 1.2.5.
// A control without constructor parameters is applied by its type.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

control Twice(in bit<8> x, out bit<8> y) {
    apply {
        y = x << 1;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        Twice.apply(hdr.h.a, hdr.h.r);
    }
}

#include "include/switch.p4"
