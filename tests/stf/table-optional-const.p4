// Section "Entries" of P4_16 1.2.5.
// A key of v1model that is optional has a value or takes anything.
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
            hdr.h.a : optional;
            hdr.h.b : optional;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        const entries = {
            (1, 2) : set(1);
            (1, _) : set(2);
            (_, 2) : set(3);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
