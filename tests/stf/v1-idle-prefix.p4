// Section: v1model, `support_timeout`: of a table of prefixes, the entry that is found is not idle; shorter ones that fit, too, become so.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
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
        key = { hdr.h.a : lpm; }
        actions = { set; NoAction; }
        default_action = NoAction();
        support_timeout = true;
        size = 16;
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
