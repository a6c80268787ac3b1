// Section "typedef" of P4_16 1.2.5.
// A typedef is another name for its type: both go together without casts.
#include <core.p4>
#include <v1model.p4>

typedef bit<16> half_t;
typedef half_t word_t;

header data_t {
    word_t a;
    bit<16> b;
    bit<16> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        word_t x = hdr.h.b;
        hdr.h.r = x + hdr.h.a;
    }
}

#include "include/switch.p4"
