// Section "Checksums" of P4_16 1.2.5.
// v1model: a checksum with the payload goes over the data and over all that was not extracted.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<16> csum;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum_with_payload(true, { hdr.h.a }, hdr.h.csum, HashAlgorithm.csum16);
    }
}
#define HAS_VERIFY

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.checksum_error == 1) { std.egress_spec = 2; } else { std.egress_spec = 1; }
        hdr.h.a = hdr.h.a + 1;
    }
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum_with_payload(true, { hdr.h.a }, hdr.h.csum, HashAlgorithm.csum16);
    }
}
#define HAS_COMPUTE

#include "include/switch.p4"
