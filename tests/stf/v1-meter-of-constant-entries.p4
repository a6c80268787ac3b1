// Section: v1model, direct_meter: entries that stand in the program have meters, too, which P4Runtime sets; here none is set.
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
    direct_meter<bit<8>>(MeterType.bytes) rate;
    action set(bit<8> value) {
        bit<8> colour;
        rate.read(colour);
        hdr.h.r = value + colour;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; }
        const default_action = set(0x40);
        meters = rate;
        const entries = {
            1 : set(0x10);
            2 : set(0x20);
        }
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
