// Section "Table entry timeout notification" of PSA 1.2: of a table with masks, whose actions count.
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
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) seen;
    action counted(bit<8> value) {
        seen.count();
        hdr.h.r = value;
    }
    action free(bit<8> value) {
        hdr.h.r = value;
    }
    table t {
        key = { hdr.h.a : ternary; }
        actions = { counted; free; }
        default_action = free(0xff);
        psa_direct_counter = seen;
        psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
        size = 8;
    }

    apply {
        t.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
