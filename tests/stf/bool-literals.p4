// Sections "The Boolean type" and "Boolean literals" of P4_16 1.2.5.
// true and false, and a variable of a Boolean type that changes.
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
        bool large = false;
        if (hdr.h.a > 9) { large = true; }
        if (large == true) { hdr.h.r = 1; } else if (!large) { hdr.h.r = 2; }
    }
}

#include "include/switch.p4"
