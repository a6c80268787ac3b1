// Section "Struct types" of P4_16 1.2.5.
// v1model: user metadata goes from the parser through ingress to egress.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {
    bit<8> x;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.x = hdr.h.a;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        meta.x = meta.x + 2;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        meta.x = meta.x + 4;
        hdr.h.r = meta.x;
    }
}
#define HAS_SEND

#include "include/switch.p4"
