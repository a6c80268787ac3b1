// Section "Match-action unit invocation" of P4_16 1.2.5.
// The result of one table decides whether another one is applied.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action set_net(bit<8> value) {
        hdr.h.s = value;
    }
    table host {
        key = { hdr.h.a : exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    table net {
        key = { hdr.h.a : lpm; }
        actions = { set_net; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (host.apply().miss) { net.apply(); }
    }
}

#include "include/switch.p4"
