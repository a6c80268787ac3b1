// Section "Extern functions" of P4_16 1.2.5.
// v1model: a clone of egress to egress is the packet as egress left it; it goes through egress again, with the instance type 2.
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
        std.egress_spec = 2;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.r + 1;
        if (std.instance_type == 0 && hdr.h.a == 1) { clone(CloneType.E2E, 5); }
        if (std.instance_type == 2) { hdr.h.a = 0xaa; }
    }
}
#define HAS_SEND

#include "include/switch.p4"
