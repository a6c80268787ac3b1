// Sections "For statement" and "Return statement" of P4_16 1.2.5.
// A return in a loop ends the function.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> first_bit(in bit<8> value) {
    for (bit<8> i = 0; i < 8; i = i + 1) {
        if ((value >> i)[0:0] == 1) {
            return i;
        }
    }
    return 255;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = first_bit(hdr.h.a);
    }
}

#include "include/switch.p4"
