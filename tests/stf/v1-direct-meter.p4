// Section: v1model, direct_meter: the meter of the entry that is found meters by itself; a miss meters nothing. Beside a direct counter.
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
    direct_meter<bit<2>>(MeterType.packets) rate;
    direct_counter(CounterType.packets_and_bytes) hits;
    bit<2> colour = 3;
    action told(bit<4> base) {
        rate.read(colour);
        hdr.h.colour = base ++ 2w0 ++ colour;
    }
    action untold() {
        hdr.h.colour = 0xee;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { told; untold; }
        default_action = told(7);
        meters = rate;
        counters = hits;
        size = 16;
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
