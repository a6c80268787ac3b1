// Section "Operations on header stacks" of P4_16 1.2.5.
// The size of a stack is a constant, whatever of it is valid.
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
        bit<32> size = hdr.s.size;
        hdr.r = { (bit<8>)size, (bit<8>)(hdr.s.size + 1) };
    }
}

#include "include/switch.p4"
