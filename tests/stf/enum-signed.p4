// Section "Enumeration types" of P4_16 1.2.5.
// The underlying type of an enum can be signed.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<8> a;
    bit<8> r;
}

enum int<8> side_t { LEFT = -1, RIGHT = 1 }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        side_t side = (side_t)hdr.h.a;
        if (side == side_t.LEFT) { hdr.h.r = 1; }
        if ((int<8>)side < 0) { hdr.h.r = hdr.h.r + 2; }
        hdr.h.a = side_t.RIGHT;
    }
}

#include "include/switch.p4"
