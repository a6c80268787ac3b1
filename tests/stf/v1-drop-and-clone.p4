// Section "Extern functions" of P4_16 1.2.5.
// v1model: a packet that is cloned and dropped leaves as its clone only.
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
        clone(CloneType.I2E, 5);
        mark_to_drop(std);
    }
}

#include "include/switch.p4"
