// Section "Entry priorities" of P4_16 1.2.5.
// Entries with priorities in the program: the larger number is taken, unless the table says otherwise.
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
        @noWarn("entries_out_of_priority_order")
        entries = {
            priority = 10 : 0x10 &&& 0xf0 : set(1);
            priority = 30 : 0x11 &&& 0x1f : set(2);
            priority = 20 : 0x11 : set(3);
            priority = 40 : 0xf0 &&& 0xf0 : set(4);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
