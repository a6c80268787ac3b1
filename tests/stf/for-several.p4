// Section "For statement" of P4_16 1.2.5.
// Several variables and several updates, which are done one after the other.
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
        bit<8> j = 0;
        for (bit<8> i = hdr.h.a, j = 1; i > 0; i = i - 1, j = j + i) {
            hdr.h.r = hdr.h.r + j;
        }
        hdr.h.s = j;
    }
}

#include "include/switch.p4"
