// Section "Extern functions" of P4_16 1.2.5.
// v1model: a packet that is resubmitted comes to ingress again as it came in, with the instance type 6, and with the metadata
// of its list.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {
    @field_list(3)
    bit<8> kept;
}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.instance_type == 0) {
            meta.kept = hdr.h.a + 1;
            hdr.h.r = 0x77;
            resubmit_preserving_field_list(3);
        } else {
            hdr.h.r = hdr.h.r + (bit<8>)std.instance_type;
            hdr.h.s = meta.kept;
        }
        std.egress_spec = 4;
    }
}

#include "include/switch.p4"
