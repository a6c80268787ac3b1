// Section "Parser states" of P4_16 1.2.5.
// Statements of a state go one after the other: conditions, variables, assignments to headers and metadata.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header extra_t {
    bit<16> x;
}

struct headers_t {
    result_t r;
    data_t h;
}
struct meta_t {
    bit<8> count;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> count = 1;
    state start {
        packet.extract(hdr.h);
        bit<8> twice = hdr.h.a + hdr.h.a;
        if (twice > 100) {
            count = count + 1;
            hdr.h.a = 0;
        } else {
            count = twice;
        }
        meta.count = count;
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, meta.count };
    }
}

#include "include/switch.p4"
