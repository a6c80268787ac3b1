// Section "Checksums" of P4_16 1.2.5.
// v1model: a payload that begins behind an odd number of bytes of the packet, of the data, or of both, and one that is zero.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> length;
    varbit<56> v;
}
header sums_t {
    bit<16> even;
    bit<16> odd;
    bit<16> nothing;
}

struct headers_t {
    sums_t sums;
    data_t h;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h, (bit<32>) packet.lookahead<bit<8>>() << 3);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.sums = { 0, 0, 0 };
    }
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum_with_payload(true, { hdr.h.length, 8w0x34 }, hdr.sums.even, HashAlgorithm.csum16);
        update_checksum_with_payload(true, { hdr.h.length }, hdr.sums.odd, HashAlgorithm.csum16);
        update_checksum_with_payload(true, { 16w0 }, hdr.sums.nothing, HashAlgorithm.csum16);
    }
}
#define HAS_COMPUTE

#include "include/switch.p4"
