// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: mark_to_drop in egress drops; another egress_spec there does not change the port.
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
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.a == 0) { mark_to_drop(std); }
        if (hdr.h.a == 1) { std.egress_spec = 5; }
    }
}
#define HAS_SEND

#include "include/switch.p4"
