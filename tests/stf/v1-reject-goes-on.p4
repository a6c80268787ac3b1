// Section "The Parser abstract machine" of P4_16 1.2.5.
// v1model: a packet whose parser rejects goes to ingress with the error, and leaves with the headers that were extracted.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<16> x;
}

struct headers_t {
    data_t h;
    extra_t x;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.x);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.parser_error == error.NoError) { std.egress_spec = 1; } else { std.egress_spec = 2; }
    }
}

#include "include/switch.p4"
