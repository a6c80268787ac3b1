// Section "Return statement" of P4_16 1.2.5.
// A return ends the action, and not the control that called it; its parameters are copied out.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action step(inout bit<8> n) {
        n = n + 1;
        if (n < 50) {
            return;
        }
        hdr.h.r = 1;
    }

    apply {
        step(hdr.h.a);
        hdr.h.s = 9;
    }
}

#include "include/switch.p4"
