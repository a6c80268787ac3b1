// Section "Data insertion into packets" of P4_16 1.2.5.
// What the deparser emits leaves in its order, not in that of the parser.
#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> v;
}

struct headers_t {
    byte_t a;
    byte_t b;
    byte_t c;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.a);
        packet.extract(hdr.b);
        packet.extract(hdr.c);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.c);
        packet.emit(hdr.a);
    }
}
#define HAS_DEPARSE

#include "include/switch.p4"
