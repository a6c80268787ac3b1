// Sections "Control-plane API annotations" and "Computing control-plane names" of P4_16 1.2.5.
// A table, an action and a key have the names that annotations give them.
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
    @name("put") action set(bit<8> value) {
        hdr.h.r = value;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    @name("lookup")
    table t {
        key = {
            hdr.h.a : exact @name("first");
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
