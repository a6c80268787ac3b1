// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: egress_port is, in egress, what egress_spec was at the end of ingress.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 9;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (bit<16>)std.egress_port;
    }
}
#define HAS_SEND

#include "include/switch.p4"
