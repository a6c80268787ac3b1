// Section "Sub-parsers" of P4_16 1.2.5.
// Variables of a sub-parser begin anew each time it is applied.
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
parser Counter(out bit<8> result) {
    bit<8> count = 0;
    state start {
        count = count + 1;
        result = count;
        transition accept;
    }
}

struct headers_t {
    result_t r;
    data_t h;
}
struct meta_t {
    bit<8> first;
    bit<8> second;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Counter() counter;
    state start {
        packet.extract(hdr.h);
        counter.apply(meta.first);
        counter.apply(meta.second);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { meta.first, meta.second };
    }
}

#include "include/switch.p4"
