// Section "Tables" of P4_16 1.2.5.
// Tables in ingress and in egress.
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
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; }
    }

    apply {
        t.apply();
    }
}

control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action set(bit<8> value) {
        hdr.h.s = value + hdr.h.r;
    }
    table t {
        key = { hdr.h.r : exact; }
        actions = { set; }
    }

    apply {
        t.apply();
    }
}
#define HAS_SEND

#include "include/switch.p4"
