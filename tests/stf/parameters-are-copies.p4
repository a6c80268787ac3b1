// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// A parameter is a copy: what an action does to the argument itself is not seen in it, and is overwritten where it is copied
// out.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action change_in(in bit<8> x) {
        hdr.h.a = 100;
        hdr.h.r = x;
    }
    action change_inout(inout bit<8> x) {
        hdr.h.b = 50;
        x = x + 1;
        hdr.h.s = hdr.h.b;
    }

    apply {
        change_in(hdr.h.a);
        change_inout(hdr.h.b);
    }
}

#include "include/switch.p4"
