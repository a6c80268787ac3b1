// Sections "Keys" and "Computing control-plane names" of P4_16 1.2.5.
// Whether a header is valid is a key.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
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
        transition select(hdr.h.a) {
            2: accept;
            _: more;
        }
    }
    state more {
        packet.extract(hdr.x);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    table t {
        key = {
            hdr.x.isValid() : exact;
            hdr.h.a : exact;
        }
        actions = {
            set;
            none;
        }
        default_action = none();
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
