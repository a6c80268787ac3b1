// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: mark_to_drop drops the packet at the end of ingress.
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
        std.egress_spec = 2;
        if (hdr.h.a == 0) { mark_to_drop(std); }
    }
}

#include "include/switch.p4"
