// Sections "Actions" and "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// An action without statements gives back what its parameters are: a header that comes out is not valid.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}
header more_t {
    bit<8> b;
}

struct headers_t {
    data_t h;
    more_t m;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.m);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action lose(out more_t lost) {}
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = {
            lose(hdr.m);
            NoAction;
        }
        default_action = NoAction;
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
