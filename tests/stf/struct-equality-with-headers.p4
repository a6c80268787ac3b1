// Sections "Operations on struct types" and "Operations on headers" of P4_16 1.2.5.
// Structs with headers are equal where these are: both invalid, or both valid with equal fields.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
}
struct pair_t {
    extra_t first;
    extra_t second;
}

struct headers_t {
    data_t h;
    pair_t p;
    pair_t q;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.p.second);
        transition select(hdr.h.a) {
            1: other;
            default: same;
        }
    }
    state same {
        packet.extract(hdr.q.second);
        transition accept;
    }
    state other {
        packet.extract(hdr.q.first);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.p == hdr.q ? 8w1 : 8w2;
    }
}

#include "include/switch.p4"
