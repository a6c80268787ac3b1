// Sections "Direct Counter" and "Direct Meter" of PSA 1.2.
// The specification has one table for each counter. Where two name the same, with meters of their own, entries of each count apart.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS_AND_BYTES) hits;
    DirectMeter(PSA_MeterType_t.PACKETS) limit;
    DirectMeter(PSA_MeterType_t.PACKETS) other_limit;
    action counted(bit<8> value) {
        hdr.h.r = value;
        hits.count();
    }
    action uncounted(bit<8> value) {
        hdr.h.r = value;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { counted; uncounted; }
        default_action = counted(9);
        psa_direct_counter = hits;
        psa_direct_meter = limit;
        size = 2;
    }

    table u {
        key = { hdr.h.r : exact; }
        actions = { counted; uncounted; }
        default_action = uncounted(9);
        psa_direct_counter = hits;
        psa_direct_meter = other_limit;
        size = 64;
    }

    apply {
        t.apply();
        u.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
