// Section "Extern functions" of P4_16 1.2.5.
// v1model: a clone of ingress to egress is the packet as it came in; it goes through egress to the port of its session, with
// the instance type 1.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> kind;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 2;
        if (hdr.h.a == 1) { clone(CloneType.I2E, 5); }
        hdr.h.a = hdr.h.a + 0x10;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.kind = (bit<8>)std.instance_type;
    }
}
#define HAS_SEND

#include "include/switch.p4"
