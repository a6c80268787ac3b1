// Section "For statement" of P4_16 1.2.5.
// A loop over a list takes its elements in their order.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 0;
        for (bit<8> i in (list<bit<8>>){ 3, 1, 2 }) {
            hdr.h.r = (hdr.h.r << 2) + i;
        }
    }
}

#include "include/switch.p4"
