// Section "Entries" of P4_16 1.2.5.
// Entries that are not constant stand beside others that are added, with other keys.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
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
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = {
            set;
        }
        default_action = set(0);
        entries = {
            1 : set(0x11);
            2 : set(0x22);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
