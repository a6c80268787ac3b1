// Sections "Static assertions" and "Constants" of P4_16 1.2.5.
// A static assertion that holds leaves no trace.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

const bit<8> SIZE = 8;
const bool CHECKED = static_assert(SIZE < 9);

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        static_assert(SIZE == 8, "a byte");
        hdr.h.a = SIZE;
    }
}

#include "include/switch.p4"
