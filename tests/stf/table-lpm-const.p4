// Sections "Entries" and "Entry priorities" of P4_16 1.2.5.
// Of constant entries with prefixes, the longest is taken, not the first one.
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
            hdr.h.a : lpm;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        const entries = {
            0x80 &&& 0x80 : set(1);
            0xa0 &&& 0xe0 : set(2);
            0xa5 : set(3);
            _ : set(4);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
