// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: a packet with a multicast group goes to all ports of its nodes, each copy through egress with the number of its
// node.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> group;
    bit<16> rid;
    bit<16> port;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.mcast_grp = hdr.h.group;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.rid = std.egress_rid;
        hdr.h.port = (bit<16>)std.egress_port;
    }
}
#define HAS_SEND

#include "include/switch.p4"
