// Sections "Actions" and "Match-action unit execution semantics" of P4_16 1.2.5.
// Arguments that are bound in the list of actions are evaluated after the key, when the action runs.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action copy(in bit<8> x) {
        hdr.h.r = x;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    table t {
        key = {
            bump(hdr.h.b) : exact @name("k");
        }
        actions = {
            copy(hdr.h.b);
            none;
        }
        default_action = none();
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
