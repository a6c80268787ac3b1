// Section "Extern functions" of P4_16 1.2.5.
// v1model: a packet that is recirculated comes in again as it was deparsed, with the instance type 4.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 4;
        hdr.h.a = hdr.h.a + 1;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.instance_type == 0) { recirculate_preserving_field_list(0); }
        hdr.h.r = hdr.h.r + (bit<8>)std.instance_type + 1;
    }
}
#define HAS_SEND

#include "include/switch.p4"
