// Sections "Entries" and "Masks" of P4_16 1.2.5.
// Constant entries of a ternary key are tried in their order; masks, values and the underscore.
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
    table t {
        key = {
            hdr.h.a : ternary;
            hdr.h.b : exact;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        const entries = {
            (0x10 &&& 0xf0, 1) : set(1);
            (0x1f, 1) : set(2);
            (0x01 &&& 0x01, 2) : set(3);
            (_, 2) : set(4);
            (0x20, 3) : set(5);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
