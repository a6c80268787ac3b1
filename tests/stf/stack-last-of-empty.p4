// Sections "Operations on header stacks" and "Header stacks" of P4_16 1.2.5.
// The last element of a stack that has none rejects with StackOutOfBounds.
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
    bit<7> value;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        meta.value = hdr.s.last.value;
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.StackOutOfBounds) { hdr.r.code = 1; }
    }
}

#include "include/switch.p4"
