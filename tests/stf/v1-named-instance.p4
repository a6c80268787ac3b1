// Sections "Package types" and "Name resolution" of P4_16 1.2.5.
// Controls have names of their own: nothing hangs on what they are called.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control A(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.a = hdr.h.a + 1;
    }
}
control B(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    apply {
        h.h.a = h.h.a << 1;
    }
}
control Nothing(inout headers_t hdr, inout meta_t meta) {
    apply {}
}
control Out(packet_out p, in headers_t h) {
    apply {
        p.emit(h.h);
    }
}
V1Switch(Parse(), Nothing(), A(), B(), Nothing(), Out()) main;
