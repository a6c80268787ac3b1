// Section "Checksums" of P4_16 1.2.5.
// v1model: a checksum is right or wrong whatever carries its sum has (RFC 1071: what does not fit is added below).
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> one;
    bit<16> other;
    bit<16> more;
    bit<16> csum;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true, { hdr.h.one, hdr.h.other, hdr.h.more }, hdr.h.csum, HashAlgorithm.csum16);
    }
}
#define HAS_VERIFY

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.checksum_error == 1) { std.egress_spec = 2; } else { std.egress_spec = 1; }
    }
}

#include "include/switch.p4"
