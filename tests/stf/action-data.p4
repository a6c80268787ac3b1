// Section "Invoking actions" of P4_16 1.2.5.
// An action that is called gets all its arguments; those without a direction are as in.
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
    action set(out bit<8> target, bit<8> x, bit<8> y) {
        target = x + x + y;
    }

    apply {
        set(hdr.h.r, hdr.h.a, hdr.h.a + 1);
        set(hdr.h.s, 3, 4);
    }
}

#include "include/switch.p4"
