// Section "Variables" of P4_16 1.2.5.
// A local variable of a header type is invalid at first.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        extra_t local;
        hdr.h.r = local.isValid() ? 8w1 : 8w0;
        local = { hdr.h.a, hdr.h.a };
        hdr.h.r = hdr.h.r + (local.isValid() ? local.y : 8w100);
    }
}

#include "include/switch.p4"
