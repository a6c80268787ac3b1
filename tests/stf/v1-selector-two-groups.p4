// Section: P4Runtime, "ActionProfileMember": a member of two groups that gets another action has it in both.
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
    action_selector(HashAlgorithm.identity, 32w8, 32w8) sel;
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action miss(bit<8> value) {
        hdr.h.r = hdr.h.b + value;
    }
    table t {
        key = {
            hdr.h.a : exact;
            hdr.h.b : selector;
        }
        actions = { set; miss; }
        default_action = miss(0x40);
        implementation = sel;
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
