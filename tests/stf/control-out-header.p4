// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// Headers in a struct that is an out parameter of a control are invalid at first.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
}
struct pair_t {
    extra_t first;
    extra_t second;
}
control Fill(out pair_t pair, in bit<8> a, out bit<8> was) {
    apply {
        was = pair.first.isValid() || pair.second.isValid() ? 8w1 : 8w2;
        pair.second = { a };
    }
}

struct headers_t {
    data_t h;
    pair_t pair;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.pair.first);
        packet.extract(hdr.pair.second);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        Fill.apply(hdr.pair, hdr.h.a, hdr.h.r);
    }
}

#include "include/switch.p4"
