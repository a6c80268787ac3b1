// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// Out parameters are copied out from the left to the right: where two go to one place, the last one stays.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

void two(inout bit<8> x, inout bit<8> y) {
    x = x + 10;
    y = y + 20;
}
void two_out(out bit<8> x, out bit<8> y) {
    y = 2;
    x = 1;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        two(hdr.h.a, hdr.h.a);
        two_out(hdr.h.r, hdr.h.r);
    }
}

#include "include/switch.p4"
