// Section "Checksums" of PSA 1.2.
// Checksums begin with nothing for each packet, and each time that what has them is applied, also where nobody clears them.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<16> a;
    bit<16> b;
    bit<16> first;
    bit<16> second;
}

struct headers_t {
    data_t h;
}
struct meta_t {}
struct empty_t {}

parser Summed(packet_in packet, in bit<16> word, out bit<16> result, out bit<16> other) {
    InternetChecksum() sum;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) plain;
    state start {
        sum.add(word);
        plain.update(word);
        result = sum.get_state();
        other = ~plain.get();
        transition accept;
    }
}

#define HAS_PARSE
parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd, in empty_t resubmitted,
             in empty_t recirculated) {
    Summed() summed;
    bit<16> both;
    state start {
        packet.extract(hdr.h);
        summed.apply(packet, hdr.h.a, hdr.h.first, both);
        summed.apply(packet, hdr.h.b, both, hdr.h.second);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    apply {
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
