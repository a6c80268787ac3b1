// Sections "Operations on types introduced by type" and "Introducing new types" of P4_16 1.2.5.
// A new type is compared and assigned as it is; arithmetic takes casts to what it was made of.
#include <core.p4>
#include <v1model.p4>

type bit<8> port_t;

header data_t {
    port_t a;
    port_t b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a == hdr.h.b ? 8w1 : 8w2;
        hdr.h.b = (port_t)((bit<8>)hdr.h.a + 1);
    }
}

#include "include/switch.p4"
