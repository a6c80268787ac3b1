// Section: v1model, direct_counter: an entry that gets another action keeps what it has counted, and no other one's, though packets may find a better one.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
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
    direct_counter(CounterType.packets) of_any;
    direct_counter(CounterType.packets) of_few;
    action set(bit<8> value) {
        hdr.h.r = hdr.h.r + value;
    }
    table any {
        key = {
            hdr.h.a : ternary;
        }
        actions = { set; NoAction; }
        default_action = NoAction();
        counters = of_any;
        size = 8;
    }
    @hardpath_table("masks")
    table few {
        key = {
            hdr.h.a : ternary;
        }
        actions = { set; NoAction; }
        default_action = NoAction();
        counters = of_few;
        size = 8;
    }
    apply {
        any.apply();
        few.apply();
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
