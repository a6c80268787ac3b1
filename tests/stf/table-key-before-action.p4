// Section "Match-action unit execution semantics" of P4_16 1.2.5.
// A key is built when its table is applied: what actions of a table before have done to its fields counts, and no more.
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
    action move(bit<8> to) {
        hdr.h.a = to;
        hdr.h.r = hdr.h.r + 1;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { move; none; }
        default_action = none();
    }
    table u {
        key = { hdr.h.a : exact; }
        actions = { move; none; }
        default_action = none();
        const entries = {
            2 : move(3);
            3 : move(4);
        }
    }

    apply {
        t.apply();
        if (hdr.h.r == 1) { u.apply(); }
    }
}

#include "include/switch.p4"
