// Sections "Operations on headers" and "Data insertion into packets" of P4_16 1.2.5.
// A header that is made valid and filled leaves with the packet.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
    extra_t first;
    extra_t second;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            0: accept;
            1: first;
            2: second;
            default: both;
        }
    }
    state first {
        packet.extract(hdr.first);
        transition accept;
    }
    state second {
        packet.extract(hdr.second);
        transition accept;
    }
    state both {
        packet.extract(hdr.first);
        packet.extract(hdr.second);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.first.setValid();
        hdr.first.x = hdr.h.a;
        hdr.first.y = 0xee;
    }
}

#include "include/switch.p4"
