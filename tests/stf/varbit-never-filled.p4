// Sections "Operations on headers" and "Data insertion into packets" of P4_16 1.2.5.
// A varbit that was never written has no bits (v1model), so what is emitted behind its header follows at once.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}
header options_t {
    bit<8> kind;
    varbit<32> rest;
}

struct headers_t {
    data_t h;
    options_t o;
    data_t x;
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
        hdr.o.setValid();
        hdr.o.kind = 7;
    }
}

#include "include/switch.p4"
