// Sections "Function declarations" and "Return statement" of P4_16 1.2.5.
// A function without a value returns early.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

void set(inout bit<8> target, in bit<8> value) {
    if (value == 0) {
        return;
    }
    target = value;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        set(hdr.h.r, hdr.h.a);
    }
}

#include "include/switch.p4"
