// Section "Expression evaluation order" of P4_16 1.2.5.
// Operands are evaluated from the left to the right, and see what calls before them have done.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
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
    apply {
        hdr.h.r = bump(hdr.h.a) - (bump(hdr.h.a) << 1);
        hdr.h.s = hdr.h.a + bump(hdr.h.a);
        hdr.h.t = bump(hdr.h.a) + hdr.h.a;
    }
}

#include "include/switch.p4"
