// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// A header that is an inout parameter is a copy with its validity until the call ends.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header extra_t {
    bit<8> x;
}

struct headers_t {
    data_t h;
    extra_t first;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.first);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action change(inout extra_t e) {
        e.setInvalid();
        hdr.h.r = hdr.first.isValid() ? 8w1 : 8w2;
        hdr.first.x = 9;
    }

    apply {
        change(hdr.first);
    }
}

#include "include/switch.p4"
