// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// Bitwise operators work on the two's complement of signed numbers.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    int<8> b;
    int<8> and_r;
    int<8> or_r;
    int<8> xor_r;
    int<8> not_r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.and_r = hdr.h.a & hdr.h.b;
        hdr.h.or_r = hdr.h.a | hdr.h.b;
        hdr.h.xor_r = hdr.h.a ^ hdr.h.b;
        hdr.h.not_r = ~hdr.h.a;
    }
}

#include "include/switch.p4"
