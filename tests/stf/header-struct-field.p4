// Section "Header types" of P4_16 1.2.5.
// A header can have a field that is a struct of bits.
#include <core.p4>
#include <v1model.p4>

struct bits_t {
    bit<4> high;
    bit<4> low;
}

header data_t {
    bits_t a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a.low ++ hdr.h.a.high;
        hdr.h.a.high = 0xf;
    }
}

#include "include/switch.p4"
