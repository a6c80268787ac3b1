// Section "Assignment statement" of P4_16 1.2.5.
// The left side of an assignment is settled before the right side is evaluated.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> i;
    bit<8> r;
}

header byte_t {
    bit<8> v;
}
bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
    byte_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.s[hdr.h.i].v = bump(hdr.h.i);
    }
}

#include "include/switch.p4"
