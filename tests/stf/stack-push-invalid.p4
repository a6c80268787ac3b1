// Section "Operations on header stacks" of P4_16 1.2.5.
// What push_front puts in front is invalid, and is not emitted.
#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<7> value;
    bit<1> last;
}

struct headers_t {
    label_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.last) {
            0: start;
            1: accept;
        }
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.s.push_front(2);
    }
}

#include "include/switch.p4"
