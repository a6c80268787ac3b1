// Section: v1model, meter: two meters behind each other, the second one only for what the first one lets through.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> colour;
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
    meter(1, MeterType.packets) first;
    meter(256, MeterType.packets) second;
    apply {
        bit<8> colour = 0;
        first.execute_meter(0, colour);
        hdr.h.colour = colour;
        if (colour == 2) {
            mark_to_drop(s);
        } else {
            second.execute_meter((bit<32>)hdr.h.a, colour);
            hdr.h.colour = hdr.h.colour << 4 | colour;
            s.egress_spec = 1;
        }
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
