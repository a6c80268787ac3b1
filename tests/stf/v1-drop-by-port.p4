// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: an egress_spec of 511 drops.
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
        std.egress_spec = 511;
        if (hdr.h.a == 5) { std.egress_spec = 1; }
    }
}

#include "include/switch.p4"
