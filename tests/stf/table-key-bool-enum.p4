// Section "Entries" of P4_16 1.2.5.
// Keys that are a Boolean and an enum, with constant entries.
#include <core.p4>
#include <v1model.p4>

enum bit<8> kind_t { ONE = 1, TWO = 2 }

header data_t {
    bit<8> a;
    kind_t b;
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
            hdr.h.a > 10 : exact @name("large");
            hdr.h.b : exact;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
        const entries = {
            (true, kind_t.ONE) : set(1);
            (false, kind_t.ONE) : set(2);
            (true, kind_t.TWO) : set(3);
        }
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
