// Section "Actions" of P4_16 1.2.5.
// Parameters with a direction are bound in the list of actions, and evaluated when the action runs; data comes from the entry.
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
    action add(in bit<8> x, inout bit<8> y, out bit<8> z, bit<8> data) {
        y = y + 1;
        z = x + data;
    }
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = {
            add(hdr.h.b, hdr.h.b, hdr.h.r);
        }
        default_action = add(hdr.h.b, hdr.h.b, hdr.h.r, 2);
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
