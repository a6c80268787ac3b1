// Section "Keys" of P4_16 1.2.5.
// Exact keys of odd widths, signed and unsigned, and action data of an odd width.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<13> a;
    int<5> s;
    bit<3> r;
    bit<3> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action set(bit<3> value) {
        hdr.h.r = value;
    }
    action none() {
        hdr.h.r = 7;
    }
    table t {
        key = {
            hdr.h.a : exact;
            hdr.h.s : exact;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
