// Section "Counters" of PSA 1.2; DPDK's psa.p4 has a length beside it.
// A counter that is told how long a packet is counts so many bytes.
#include <core.p4>
#include <dpdk/psa.p4>

header data_t {
    bit<16> length;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(4, PSA_CounterType_t.PACKETS_AND_BYTES) told;
    Counter<bit<32>, bit<8>>(4, PSA_CounterType_t.PACKETS_AND_BYTES) own;

    apply {
        told.count(1, (bit<32>)hdr.h.length);
        own.count(1);
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
