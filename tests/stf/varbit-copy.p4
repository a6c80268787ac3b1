// Section "Operations on variable-size bit types" of P4_16 1.2.5.
// A header with a field of a variable length is copied with its length; both leave.
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
header options_t {
    bit<8> kind;
    varbit<32> data;
    bit<8> end;
}

struct headers_t {
    result_t r;
    data_t h;
    options_t o;
    options_t p;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.o, (bit<32>)hdr.h.a * 8);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        hdr.p = hdr.o;
        hdr.p.kind = 7;
    }
}

#include "include/switch.p4"
