// Sections "Keys", "Size" and "Entry priorities" of P4_16 1.2.5.
// A table of many entries with masks: of those that match the one with the highest priority is taken, wherever it stands.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
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
    table t {
        key = {
            hdr.h.a : ternary;
            hdr.h.b : range;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        size = 200;
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
