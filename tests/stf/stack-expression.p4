// Section "Header stack expressions" of P4_16 1.2.5.
// A list of headers makes a stack, with an invalid one among them, and with default values behind.
#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<7> value;
    bit<1> last;
}

struct headers_t {
    label_t first;
    label_t[3] s;
    label_t[3] t;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.first);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.s = { { 1, 0 }, (label_t){#}, { 2, 1 } };
        label_t[3] t = { { 3, 1 }, ... };
        hdr.t = t;
    }
}

#include "include/switch.p4"
