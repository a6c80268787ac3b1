// Section "Checksums" of P4_16 1.2.5.
// v1model: a checksum with another algorithm than that of IPv4.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<32> a;
    bit<16> csum;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(true, { hdr.h.a }, hdr.h.csum, HashAlgorithm.crc16);
    }
}
#define HAS_COMPUTE

#include "include/switch.p4"
