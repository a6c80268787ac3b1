// Sections "Operations on header stacks" and "Header stacks" of P4_16 1.2.5.
// An element behind the end of a stack rejects with StackOutOfBounds; those that were extracted before stay.
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
        if (std.parser_error == error.StackOutOfBounds) { hdr.r.code = 1; }
        if (hdr.s[2].isValid()) { hdr.r.count = (bit<8>)hdr.s[2].value; }
    }
}

#include "include/switch.p4"
