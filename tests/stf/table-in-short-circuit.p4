// Sections "Expression evaluation order" and "Match-action unit invocation" of P4_16 1.2.5.
// A table in a condition is applied only where what stands in front of it asks for it.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action mark() {
        hdr.h.r = hdr.h.r + 1;
    }
    table t {
        key = { hdr.h.b : exact; }
        actions = { mark; }
        default_action = mark();
    }

    apply {
        if (hdr.h.a != 1 || t.apply().hit) { hdr.h.b = 1; } else { hdr.h.b = 2; }
    }
}

#include "include/switch.p4"
