// Section "Extern functions" of P4_16 1.2.5.
// v1model: fields of odd widths go into a hash one behind the other, without gaps.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<3> a;
    bit<13> b;
    bit<16> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hash(hdr.h.r, HashAlgorithm.crc16, 16w0, { hdr.h.b, hdr.h.a }, 32w0x10000);
    }
}

#include "include/switch.p4"
