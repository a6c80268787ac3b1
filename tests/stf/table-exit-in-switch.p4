// Section "Exit statement" of P4_16 1.2.5.
// An exit in the action of a table that a switch applies: no case is done, and nothing behind.
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
    action leave() {
        hdr.h.r = 0x11;
        exit;
    }
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = {
            set;
            none;
            leave;
        }
        default_action = none();
    }

    apply {
        switch (t.apply().action_run) {
            leave: { hdr.h.b = 1; }
            none: { hdr.h.b = 2; }
        }
        hdr.h.r = hdr.h.r - 1;
    }
}

#include "include/switch.p4"
