// Section "Operations on enum types" of P4_16 1.2.5.
// An enum with an underlying type is cast to that by itself, and from it where that is written.
#include <core.p4>
#include <v1model.p4>

enum bit<8> level_t { LOW = 1, HIGH = 200 }

header data_t {
    level_t a;
    bit<8> sum;
    bit<8> shifted;
    level_t from;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.sum = hdr.h.a + level_t.HIGH;
        hdr.h.shifted = hdr.h.a << 3;
        hdr.h.from = (level_t)(hdr.h.a + 1);
        if (hdr.h.from == level_t.HIGH) { hdr.h.from = (level_t)8w0xaa; }
    }
}

#include "include/switch.p4"
