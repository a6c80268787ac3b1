// Section: v1model, `support_timeout`, and BMv2's table_set_timeout: an entry that no packet finds for its time is told once, and again when it
// was found in between. Who modifies an entry has found it; one that is gone is never told. Beside a direct counter and a direct meter.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.packets) rate;
    bit<2> colour = 0;
    action set(bit<8> value) {
        rate.read(colour);
        hdr.h.r = value + (bit<8>)colour;
    }
    action none() {
        hdr.h.r = 0xff;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; none; }
        default_action = none();
        support_timeout = true;
        counters = hits;
        meters = rate;
        size = 16;
    }
    table plain {
        key = { hdr.h.b : exact; }
        actions = { none; NoAction; }
        default_action = NoAction();
        support_timeout = false;
        size = 16;
    }

    apply {
        t.apply();
        plain.apply();
    }
}

#include "include/switch.p4"
