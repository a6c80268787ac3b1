// Sections "Switch statement with action_run expression" and "Return statement" of P4_16 1.2.5.
// A return in a case ends the control.
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
    action one() {}
    action two() {}
    table t {
        key = { hdr.h.a : exact; }
        actions = { one; two; NoAction; }
        default_action = NoAction();
    }

    apply {
        switch (t.apply().action_run) {
            one: { hdr.h.b = 7; return; }
            two: { hdr.h.b = 8; }
        }
        hdr.h.r = 1;
    }
}

#include "include/switch.p4"
