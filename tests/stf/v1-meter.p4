// Section: v1model, meter: two rates and three colours (RFC 2698, section 3), packets and bytes, cells apart from each other.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> cell;
    bit<8> packets;
    bit<8> bytes;
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
    meter(8, MeterType.packets) by_packet;
    meter(8, MeterType.bytes) by_byte;
    apply {
        bit<8> colour = 0;
        by_packet.execute_meter((bit<32>)hdr.h.cell, colour);
        hdr.h.packets = colour;
        colour = 0;
        by_byte.execute_meter((bit<32>)hdr.h.cell, colour);
        hdr.h.bytes = colour;
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
