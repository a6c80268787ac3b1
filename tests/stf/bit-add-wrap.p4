// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A sum keeps as many bits as its operands have, also at an odd width.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<7> a;
    bit<7> b;
    bit<7> r;
    bit<3> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a + hdr.h.b;
    }
}

#include "include/switch.p4"
