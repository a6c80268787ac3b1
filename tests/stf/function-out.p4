// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// An out parameter is copied out, also to a slice and to a field of metadata.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

void split(in bit<8> value, out bit<4> high, out bit<4> low) {
    high = value[7:4];
    low = value[3:0];
}

struct headers_t {
    data_t h;
}
struct meta_t {
    bit<4> low;
}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        split(hdr.h.a, hdr.h.r[7:4], meta.low);
        hdr.h.s = (bit<8>)meta.low;
    }
}

#include "include/switch.p4"
