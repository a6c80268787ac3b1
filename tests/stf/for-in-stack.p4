// Section "For statement" of P4_16 1.2.5.
// A loop over a stack takes all its elements, also those that are invalid.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> r;
    bit<8> s;
}

header byte_t {
    bit<8> v;
}

struct headers_t {
    data_t h;
    byte_t[3] b;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.b.next);
        packet.extract(hdr.b.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 0;
        hdr.h.s = 0;
        for (byte_t b in hdr.b) {
            hdr.h.s = hdr.h.s + 1;
            if (b.isValid()) { hdr.h.r = hdr.h.r + b.v; }
        }
    }
}

#include "include/switch.p4"
