// Section "Operations on header unions" of P4_16 1.2.5.
// Making any member invalid makes the whole union invalid.
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
        hdr.u.large.setInvalid();
        hdr.h.r = hdr.u.isValid() ? 8w1 : 8w2;
    }
}

#include "include/switch.p4"
