// Section "Switch statement with action_run expression" of P4_16 1.2.5.
// A switch on the action that ran: labels fall through, default is for actions that have no label, and a miss counts by its
// action.
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
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    action other() {
        hdr.h.r = 0xee;
    }
    action more() {
        hdr.h.r = 0xdd;
    }
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = {
            set;
            none;
            other;
            more;
        }
        default_action = none();
    }

    apply {
        switch (t.apply().action_run) {
            set: { hdr.h.b = 1; }
            none:
            other: { hdr.h.b = 2; }
            default: { hdr.h.b = 3; }
        }
    }
}

#include "include/switch.p4"
