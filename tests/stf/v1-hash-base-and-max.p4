// Section "Extern functions" of P4_16 1.2.5.
// v1model: a hash is the base and what is left of the hash by the maximum.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<16> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hash(hdr.h.r, HashAlgorithm.crc16, 16w1000, { hdr.h.a }, 16w10);
        hash(hdr.h.s, HashAlgorithm.identity, 8w3, { hdr.h.a }, 16w7);
    }
}

#include "include/switch.p4"
