// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// A header that is an out parameter is invalid at first, also where the argument was valid.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
    bit<8> y;
}

bit<8> fill(out extra_t extra, in bool valid) {
    bit<8> was = extra.isValid() ? 8w1 : 8w2;
    if (valid) {
        extra = { 0xaa, 0xbb };
    }
    return was;
}

struct headers_t {
    data_t h;
    extra_t first;
    extra_t second;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            0: accept;
            1: first;
            2: second;
            default: both;
        }
    }
    state first {
        packet.extract(hdr.first);
        transition accept;
    }
    state second {
        packet.extract(hdr.second);
        transition accept;
    }
    state both {
        packet.extract(hdr.first);
        packet.extract(hdr.second);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = fill(hdr.first, hdr.h.a == 3);
    }
}

#include "include/switch.p4"
