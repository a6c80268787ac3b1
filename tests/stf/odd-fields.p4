// Section "Fixed-width extraction" of P4_16 1.2.5.
// The first bit of the packet is the most significant one of the first field, also across bytes.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<3> a;
    bit<13> b;
    bit<1> c;
    int<6> d;
    bit<9> e;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bit<13> b = hdr.h.b;
        hdr.h.a = hdr.h.a + 1;
        hdr.h.b = (bit<13>)hdr.h.e;
        hdr.h.c = ~hdr.h.c;
        hdr.h.d = -hdr.h.d;
        hdr.h.e = b[8:0];
    }
}

#include "include/switch.p4"
