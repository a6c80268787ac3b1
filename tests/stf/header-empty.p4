// Section "Header types" of P4_16 1.2.5.
// A header without fields has nothing but its validity.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

header mark_t {}

struct headers_t {
    data_t h;
    mark_t mark;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            2: accept;
            _: mark;
        }
    }
    state mark {
        packet.extract(hdr.mark);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.mark.isValid() ? 8w1 : 8w2;
        if (hdr.h.a == 0) { hdr.mark.setInvalid(); }
        if (!hdr.mark.isValid()) { hdr.h.r = hdr.h.r + 4; }
    }
}

#include "include/switch.p4"
