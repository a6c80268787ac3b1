// Section "Data plane interfaces" of P4_16 1.2.5.
// What a test says of a packet is what it begins with, unless it says that nothing follows; single digits can be left open.
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
        hdr.h.a = hdr.h.a + 1;
    }
}

#include "include/switch.p4"
