// Sections "Return statement" and "Switch statement with action_run expression" of P4_16 1.2.5.
// A return in the action of a table ends the action; the case of the switch is done.
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
    action leave(bit<8> data) {
        hdr.h.r = data;
        if (data == 5) { return; }
        hdr.h.r = 0xff;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { leave; NoAction; }
        default_action = NoAction();
    }

    apply {
        switch (t.apply().action_run) {
            leave: { hdr.h.b = 7; }
            default: { hdr.h.b = 8; }
        }
    }
}

#include "include/switch.p4"
