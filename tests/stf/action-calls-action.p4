// Section "Invoking actions" of P4_16 1.2.5.
// An action calls another one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action inner(in bit<8> x) {
        hdr.h.r = hdr.h.r + x;
    }
    action outer(in bit<8> y) {
        hdr.h.r = 3;
        inner(y);
        inner(y);
    }

    apply {
        outer(hdr.h.a);
    }
}

#include "include/switch.p4"
