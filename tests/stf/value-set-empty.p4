// Section "Parser Value Sets" of P4_16 1.2.5.
// A value set that nobody has filled has no value.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) known;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            known: one;
            _: two;
        }
    }
    state one {
        hdr.h.r = 1;
        transition accept;
    }
    state two {
        hdr.h.r = 2;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

#include "include/switch.p4"
