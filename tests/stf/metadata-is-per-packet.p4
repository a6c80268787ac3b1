// Sections "Variables" and "Stateful elements" of P4_16 1.2.5.
// What one packet left in variables of a control is gone for the next one.
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
    bit<8> seen = 0;

    apply {
        if (hdr.h.a == 1) {
            seen = seen + 1;
        }
        hdr.h.r = seen;
    }
}

#include "include/switch.p4"
