// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: ingress_port is the port where the packet came in, in the parser as in ingress.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<16> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        hdr.h.a = (bit<16>)std.ingress_port;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (bit<16>)std.ingress_port;
        std.egress_spec = std.ingress_port;
    }
}

#include "include/switch.p4"
