// Section "Entry priorities" of P4_16 1.2.5.
// With largest_priority_wins = false the smaller number is taken.
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
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        largest_priority_wins = false;
        @noWarn("entries_out_of_priority_order")
        entries = {
            priority = 20 : 0x10 &&& 0xf0 : set(1);
            priority = 10 : 0x11 &&& 0x1f : set(2);
            priority = 30 : 0x12 : set(3);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
