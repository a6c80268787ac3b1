// Section "Integer literals" of P4_16 1.2.5.
// Literals in all bases, with widths, signs and underscores.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<16> b;
    bit<16> c;
    bit<16> d;
    int<8> e;
    bit<8> f;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.a = 16w0b1010_0000_1111_0101;
        hdr.h.b = 0xAb_cD;
        hdr.h.c = 0o17_7;
        hdr.h.d = 10_000;
        hdr.h.e = -8s100;
        hdr.h.f = 8w0d200;
    }
}

#include "include/switch.p4"
