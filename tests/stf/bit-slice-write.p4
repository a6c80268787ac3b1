// Sections "Operations on fixed-width bit types (unsigned integers)" and "L-values" of P4_16 1.2.5.
// An assignment to a slice leaves the other bits as they are.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<24> a;
    bit<8> b;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.a[15:8] = hdr.h.b;
        hdr.h.a[0:0] = 1;
        hdr.h.a[23:21] = 3w2;
    }
}

#include "include/switch.p4"
