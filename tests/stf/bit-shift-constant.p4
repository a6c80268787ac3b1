// Section "A note about shifts" of P4_16 1.2.5.
// A shift by a constant of the width or more gives zero; the constant is not cut to the width of what is shifted.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> l3;
    bit<8> r3;
    bit<8> l8;
    bit<8> r8;
    bit<8> l256;
    bit<8> r257;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.l3 = hdr.h.a << 3;
        hdr.h.r3 = hdr.h.a >> 3;
        hdr.h.l8 = hdr.h.a << 8;
        hdr.h.r8 = hdr.h.a >> 8;
        hdr.h.l256 = hdr.h.a << 256;
        hdr.h.r257 = hdr.h.a >> 257;
    }
}

#include "include/switch.p4"
