// Section: P4Runtime, "ActionProfile": two tables share one selector, each with its own list of actions.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers {
    h_t h;
}

struct meta {
}

parser P(packet_in packet, out headers hdr, inout meta m, inout standard_metadata_t s) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control V(inout headers hdr, inout meta m) {
    apply {
    }
}

control I(inout headers hdr, inout meta m, inout standard_metadata_t s) {
    action_selector(HashAlgorithm.identity, 32w8, 32w8) shared;
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action add(bit<4> low, bit<4> high) {
        hdr.h.r = hdr.h.b + (high ++ low);
    }
    action next() {
        hdr.h.r = hdr.h.r + 1;
    }
    table t {
        key = {
            hdr.h.a : exact;
            hdr.h.b : selector;
        }
        actions = { set; add; NoAction; }
        default_action = NoAction();
        implementation = shared;
    }
    table u {
        key = {
            hdr.h.b : exact;
            hdr.h.a : selector;
        }
        actions = { next; set; NoAction; }
        default_action = NoAction();
        implementation = shared;
    }
    apply {
        if (!t.apply().hit) {
            u.apply();
        }
        s.egress_spec = 1;
    }
}

control E(inout headers hdr, inout meta m, inout standard_metadata_t s) {
    apply {
    }
}

control C(inout headers hdr, inout meta m) {
    apply {
    }
}

control D(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
