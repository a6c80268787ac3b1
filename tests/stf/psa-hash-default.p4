// Section "Hashes" of PSA 1.2.
// What a target's own algorithm is nobody says: for hardpath it is CRC-32.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<72> digits;
    bit<32> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Hash<bit<32>>(PSA_HashAlgorithm_t.TARGET_DEFAULT) hash;

    apply {
        hdr.h.r = hash.get_hash(hdr.h.digits);
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
