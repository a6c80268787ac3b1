// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: packet_length is the number of bytes of the packet as it came, with all its headers.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<32> r;
    bit<8> a;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = std.packet_length;
    }
}

#include "include/switch.p4"
