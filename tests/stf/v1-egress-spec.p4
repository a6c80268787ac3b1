// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: egress_spec says to which port the packet goes, also where it came from; the last assignment counts.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<9> port;
    bit<7> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 7;
        std.egress_spec = hdr.h.port;
    }
}

#include "include/switch.p4"
