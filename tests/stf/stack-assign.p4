// Section "Operations on header stacks" of P4_16 1.2.5.
// A stack is assigned to another one of its type, with the validity of all elements; stacks are equal where all elements are.
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
    label_t[3] t;
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
        if (hdr.s == hdr.t) { hdr.r.code = 1; }
        hdr.t = hdr.s;
        if (hdr.s == hdr.t) { hdr.r.count = 1; }
        hdr.s[0].value = 0;
        if (hdr.s != hdr.t) { hdr.r.count = hdr.r.count + 2; }
    }
}

#include "include/switch.p4"
