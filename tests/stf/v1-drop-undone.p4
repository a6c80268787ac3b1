// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: an egress_spec that is set behind mark_to_drop sends the packet after all.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        mark_to_drop(std);
        if (hdr.h.a == 5) { std.egress_spec = 4; }
    }
}

#include "include/switch.p4"
