// Sections "Invoking controls" and "Computing control-plane names" of P4_16 1.2.5.
// A control that is made twice has two tables, each with entries of its own.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

control Look(in bit<8> a, inout bit<8> r) {
    action set(bit<8> value) {
        r = value;
    }
    table t {
        key = { a : exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    apply {
        t.apply();
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Look() one;
    Look() two;

    apply {
        one.apply(hdr.h.a, hdr.h.r);
        two.apply(hdr.h.a, hdr.h.s);
    }
}

#include "include/switch.p4"
