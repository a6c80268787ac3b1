// Section "Block statement" of P4_16 1.2.5.
// Variables of a block end with it; a name can come again in another block.
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
    apply {
        if (hdr.h.a > 5) {
            bit<8> x = hdr.h.a;
            x = x + 1;
            hdr.h.r = x;
        } else {
            bit<8> x = 100;
            hdr.h.r = x;
        }
        {
            bit<16> x = 0x0203;
            hdr.h.s = x[7:0];
        }
    }
}

#include "include/switch.p4"
