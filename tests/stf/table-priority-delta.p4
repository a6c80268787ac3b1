// Section "Entry priorities" of P4_16 1.2.5.
// Entries without a priority follow the one before them by priority_delta.
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
        priority_delta = 10;
        @noWarn("entries_out_of_priority_order")
        entries = {
            priority = 10 : 0x01 &&& 0x01 : set(1);
            0x02 &&& 0x02 : set(2);
            priority = 15 : 0x03 &&& 0x02 : set(3);
            0x00 &&& 0x00 : set(4);
            priority = 5 : 0x07 : set(5);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
