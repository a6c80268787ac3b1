// Sections "Calling convention: call by copy in/copy out" and "Operations on header stacks" of P4_16 1.2.5.
// A stack is an inout parameter of a function that moves its elements.
#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> v;
}

void insert(inout byte_t[3] s, in bit<8> v) {
    s.push_front(1);
    s[0] = { v };
}

struct headers_t {
    byte_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        insert(hdr.s, 9);
    }
}

#include "include/switch.p4"
