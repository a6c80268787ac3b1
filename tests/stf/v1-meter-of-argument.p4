// Section: v1model, meter: which cell is asked is what the entry says; entries of two tables may share one.
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
    meter(4, MeterType.packets) limit;
    action police(bit<32> cell, bit<8> value) {
        bit<2> colour = 0;
        limit.execute_meter(cell, colour);
        hdr.h.r = value + (bit<8>)colour;
    }
    table t {
        key = {
            hdr.h.a : exact;
        }
        actions = { police; NoAction; }
        default_action = NoAction();
    }
    table u {
        key = {
            hdr.h.b : exact;
        }
        actions = { police; NoAction; }
        default_action = NoAction();
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
