// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A product of 64 bits, and one that is made of wider operands.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<64> a;
    bit<64> b;
    bit<64> r;
    bit<128> full;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a * hdr.h.b;
        hdr.h.full = (bit<128>)hdr.h.a * (bit<128>)hdr.h.b;
    }
}

#include "include/switch.p4"
