// Section "Checksums" of P4_16 1.2.5.
// v1model: verify_checksum sets checksum_error where the checksum of the header is wrong.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> total;
    bit<16> id;
    bit<16> flags;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> csum;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true,
            { hdr.h.version, hdr.h.ihl, hdr.h.tos, hdr.h.total, hdr.h.id, hdr.h.flags, hdr.h.ttl, hdr.h.protocol,
                hdr.h.src, hdr.h.dst },
            hdr.h.csum, HashAlgorithm.csum16);
    }
}
#define HAS_VERIFY

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.checksum_error == 1) { std.egress_spec = 2; } else { std.egress_spec = 1; }
    }
}

#include "include/switch.p4"
