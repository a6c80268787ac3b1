// Section "Operations on enum types" of P4_16 1.2.5.
// Two members of an enum can have one value, and are equal then.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

enum bit<8> level_t { A = 0, B = 1, C = 1, D = 2 }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        level_t x = (level_t)hdr.h.a;
        hdr.h.r = x == level_t.B && x == level_t.C ? 8w1 : 8w0;
    }
}

#include "include/switch.p4"
