// Sections "Keys", "Size" and "Entry priorities" of P4_16 1.2.5.
// A table of masks without ranges, nearly full: entries come in any order of their priorities, also while packets do.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<32> a;
    bit<40> b;
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
            hdr.h.b : ternary;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        size = 160;
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
