// Sections "Exit statement" and "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// An exit in a control that fills a header which is an out parameter: the header is copied out.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
}

control Fill(out extra_t e, in bit<8> a) {
    apply {
        if (a == 1) {
            e = { 0xaa };
            exit;
        }
        if (a == 2) {
            exit;
        }
        e = { 0xbb };
    }
}

struct headers_t {
    data_t h;
    extra_t x;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.x);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Fill() fill;

    apply {
        fill.apply(hdr.x, hdr.h.a);
        hdr.h.r = 1;
    }
}

#include "include/switch.p4"
