// Section "Extern functions" of P4_16 1.2.5.
// v1model: a clone of a session that nobody has set up goes nowhere; the packet itself goes on.
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
        clone(CloneType.I2E, 6);
    }
}

#include "include/switch.p4"
