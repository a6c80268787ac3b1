// Section "Struct types" of P4_16 1.2.5.
// User metadata with structs in it goes from the parser to ingress and to egress.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
}
struct meta_t {
    pair_t seen;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.seen.x = hdr.h.a;
        meta.seen.y = 0;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        meta.seen.y = meta.seen.x + 1;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = meta.seen.y + 1;
    }
}
#define HAS_SEND

#include "include/switch.p4"
