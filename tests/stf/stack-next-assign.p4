// Section "Header stacks" of P4_16 1.2.5.
// Only an extraction moves next: an assignment to it does not.
#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> v;
}

struct headers_t {
    byte_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.s.next);
        hdr.s.next = { 9 };
        transition select(packet.lookahead<bit<8>>()) {
            0: accept;
            default: more;
        }
    }
    state more {
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

#include "include/switch.p4"
