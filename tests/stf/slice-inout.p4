// Sections "Calling convention: call by copy in/copy out" and "Operations on fixed-width bit types (unsigned integers)" of
// P4_16 1.2.5.
// A slice is an inout argument: only its bits are copied in and out.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<8> r;
}

bit<4> bump(inout bit<4> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (bit<8>)bump(hdr.h.a[11:8]);
    }
}

#include "include/switch.p4"
