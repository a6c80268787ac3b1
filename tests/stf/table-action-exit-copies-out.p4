// Sections "Exit statement" and "Match-action unit execution semantics" of P4_16 1.2.5.
// An exit in the action of a table: its inout and out arguments are copied out before everything ends.
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
    action change(inout bit<8> x, out bit<8> y, bit<8> data) {
        x = x + data;
        y = 0x20;
        if (x == 10) { exit; }
        y = 0x30;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { change(hdr.h.b, hdr.h.r); NoAction; }
        default_action = NoAction();
    }

    apply {
        t.apply();
        hdr.h.r = hdr.h.r + 1;
    }
}

#include "include/switch.p4"
