// Sections "Function declarations" and "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// A function takes a header and gives one, with their validity.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
}

extra_t twice(in extra_t e) {
    extra_t r = e;
    if (e.isValid()) {
        r.x = e.x << 1;
    }
    return r;
}

struct headers_t {
    data_t h;
    extra_t x;
    extra_t y;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            0: accept;
            _: more;
        }
    }
    state more {
        packet.extract(hdr.x);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.y = twice(hdr.x);
    }
}

#include "include/switch.p4"
