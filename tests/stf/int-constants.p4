// Section "Operations on arbitrary-precision integers" of P4_16 1.2.5.
// Constants without a width are calculated exactly before they get one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
}

const int LARGE = 0x1_0000_0000_0000_0000_0000_0000;

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.a = (1 << 100) >> 96;
        hdr.h.b = (17 * 3 - 1) / 7 % 5;
        hdr.h.c = (bit<8>)(-1)[3:0];
        hdr.h.d = LARGE / LARGE + 2;
        hdr.h.e = 5 - 7 + 258 - 1;
    }
}

#include "include/switch.p4"
