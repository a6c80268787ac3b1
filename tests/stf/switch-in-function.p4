// Sections "Switch statement" and "Return statement" of P4_16 1.2.5.
// A switch in a function, whose cases return.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> name(in bit<8> number) {
    switch (number) {
        1: { return 65; }
        2: { return 66; }
        default: { return 63; }
    }
    return 0;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = name(hdr.h.a);
    }
}

#include "include/switch.p4"
