// Sections "Fixed-width extraction" and "Variables" of P4_16 1.2.5.
// A header is extracted to a variable of the parser, which is assigned to headers then.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
}

struct headers_t {
    data_t h;
    extra_t x;
    extra_t y;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    extra_t local;
    state start {
        packet.extract(hdr.h);
        packet.extract(local);
        hdr.y = local;
        local.x = local.x + 1;
        hdr.x = local;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

#include "include/switch.p4"
