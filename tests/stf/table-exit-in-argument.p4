// Section "Exit statement" of P4_16 1.2.5.
// An exit in an expression on the right side of an assignment: nothing is assigned.
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
        hdr.h.b = t.apply().hit ? 8w5 : 8w6;
    }
}

#include "include/switch.p4"
