// Section "Parameterization" of P4_16 1.2.5.
// A control is made with constructor parameters, by order and by name.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

control Shift(in bit<8> x, out bit<8> y)(bit<8> amount, bool up) {
    apply {
        if (up) {
            y = x + amount;
        } else {
            y = x - amount;
        }
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Shift(3, true) one;
    Shift(up = false, amount = 4) two;

    apply {
        one.apply(hdr.h.a, hdr.h.r);
        two.apply(hdr.h.a, hdr.h.s);
    }
}

#include "include/switch.p4"
