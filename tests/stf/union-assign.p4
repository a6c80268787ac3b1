// Section "Operations on header unions" of P4_16 1.2.5.
// An assignment of a union copies which member is valid, and its fields; of an invalid one it makes the other invalid.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> r;
}

header short_t {
    bit<8> kind;
    bit<8> value;
}
header long_t {
    bit<8> kind;
    bit<24> value;
}
header_union either_t {
    short_t small;
    long_t large;
}

struct headers_t {
    data_t h;
    either_t u;
    either_t v;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(packet.lookahead<bit<8>>()) {
            1: small;
            2: large;
            default: accept;
        }
    }
    state small {
        packet.extract(hdr.u.small);
        transition accept;
    }
    state large {
        packet.extract(hdr.u.large);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.v.small = { 8, 9 };
        hdr.v = hdr.u;
        if (hdr.u.small.isValid()) { hdr.u.small.value = 0; }
    }
}

#include "include/switch.p4"
