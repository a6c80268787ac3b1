// Section: v1model, action_profile; P4Runtime, "ActionProfileMember": entries share members, and what a member does changes for all of them at once.
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
    action_profile(32w4) ap;
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action add(bit<4> low, bit<4> high) {
        hdr.h.r = hdr.h.b + (high ++ low);
    }
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = { set; add; NoAction; }
        default_action = NoAction();
        implementation = ap;
    }
    apply {
        t.apply();
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
