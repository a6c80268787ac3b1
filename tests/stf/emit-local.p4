// Sections "Data insertion into packets" and "Variables" of P4_16 1.2.5.
// The deparser emits a header of its own.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    extra_t mark = { 0xee };
    extra_t none;

    apply {
        packet.emit(mark);
        packet.emit(hdr.h);
        if (hdr.h.a == 1) {
            mark.setInvalid();
        }
        packet.emit(none);
        packet.emit(mark);
    }
}
#define HAS_DEPARSE

#include "include/switch.p4"
