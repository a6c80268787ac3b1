// Sections "Package types" and "Instantiations" of P4_16 1.2.5.
// The package is made with named arguments, in another order.
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

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.a = hdr.h.a + 1;
    }
}

control Silent(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}
control NoChecksum(inout headers_t hdr, inout meta_t meta) {
    apply {}
}
control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}
V1Switch(dep = Emit(), ig = Receive(), p = Parse(), vr = NoChecksum(), ck = NoChecksum(), eg = Silent()) main;
