// Sections "Header stacks" and "Operations on header stacks" of P4_16 1.2.5.
// A parser goes through a stack with next and last until an element says that it is the last one.
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
        hdr.r = { 0, 0 };
        if (hdr.s[0].isValid()) { hdr.r.code = hdr.r.code + 1; }
        if (hdr.s[1].isValid()) { hdr.r.code = hdr.r.code + 2; }
        if (hdr.s[2].isValid()) { hdr.r.code = hdr.r.code + 4; }
        hdr.r.count = (bit<8>)hdr.s[0].value;
    }
}

#include "include/switch.p4"
