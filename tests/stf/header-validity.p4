// Sections "Operations on headers" and "Fixed-width extraction" of P4_16 1.2.5.
// A header is valid where it was extracted.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
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
        hdr.h.r = 0;
        if (hdr.first.isValid()) { hdr.h.r = 1; }
        if (hdr.second.isValid()) { hdr.h.r = hdr.h.r + 2; }
    }
}

#include "include/switch.p4"
