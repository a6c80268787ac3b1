// Section "Operations on fixed-width signed integers" of P4_16 1.2.5.
// A signed product is right in its sign, and wraps at the width.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    int<8> b;
    int<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a * hdr.h.b;
    }
}

#include "include/switch.p4"
