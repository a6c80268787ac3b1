// Section "Operations on header stacks" of P4_16 1.2.5.
// lastIndex is the number of the element that was extracted last.
#include <core.p4>
#include <v1model.p4>

header result_t {
    bit<8> code;
    bit<8> count;
}
header label_t {
    bit<7> value;
    bit<1> last;
}

struct headers_t {
    result_t r;
    label_t[3] s;
}
struct meta_t {
    bit<8> last;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.s.next);
        meta.last = (bit<8>)hdr.s.lastIndex;
        transition select(hdr.s.last.last) {
            0: start;
            1: accept;
        }
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { meta.last, 0 };
    }
}

#include "include/switch.p4"
