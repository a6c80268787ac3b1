// Section "Return statement" of P4_16 1.2.5.
// A return ends the control; egress and the deparser go on.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 1;
        if (hdr.h.a == 5) {
            return;
        }
        hdr.h.r = 2;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.s = 7;
    }
}
#define HAS_SEND

#include "include/switch.p4"
