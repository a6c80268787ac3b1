// Sections "Header stacks" and "Fixed-width extraction" of P4_16 1.2.5.
// An element is extracted by its number; that does not move next.
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
        packet.extract(hdr.s[1]);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

#include "include/switch.p4"
