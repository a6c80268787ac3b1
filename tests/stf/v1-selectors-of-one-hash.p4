// Section: v1model, action_selector: two with the same fields choose by the same number, each among its own members.
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
    action_selector(HashAlgorithm.identity, 32w8, 32w8) first;
    action_selector(HashAlgorithm.identity, 32w8, 32w8) second;
    action high(bit<4> value) {
        hdr.h.r[7:4] = value;
    }
    action low(bit<4> value) {
        hdr.h.r[3:0] = value;
    }
    table t {
        key = {
            hdr.h.a : exact;
            hdr.h.b : selector;
        }
        actions = { high; NoAction; }
        default_action = NoAction();
        implementation = first;
    }
    table u {
        key = {
            hdr.h.a : exact;
            hdr.h.b : selector;
        }
        actions = { low; NoAction; }
        default_action = NoAction();
        implementation = second;
    }
    apply {
        t.apply();
        u.apply();
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
