// Sections "Entries" and "Ranges" of P4_16 1.2.5.
// A range of v1model has both of its ends; of several the first one is taken.
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
            hdr.h.a : range;
            hdr.h.b : exact;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        const entries = {
            (10 .. 20, 1) : set(1);
            (20 .. 30, 1) : set(2);
            (40, 1) : set(3);
            (_, 2) : set(4);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
