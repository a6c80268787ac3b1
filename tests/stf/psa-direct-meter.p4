// Section "Direct Meters" of PSA 1.2: an entry's meter meters where the action that it names asks it, and only there. By bytes.
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
    DirectMeter(PSA_MeterType_t.BYTES) limit;
    action metered(bit<4> value) {
        PSA_MeterColor_t colour = limit.execute();
        hdr.h.r = value ++ (colour == PSA_MeterColor_t.GREEN ? 4w0 : colour == PSA_MeterColor_t.YELLOW ? 4w1 : 4w2);
    }
    action coloured(bit<4> value) {
        PSA_MeterColor_t colour = limit.execute(PSA_MeterColor_t.YELLOW);
        hdr.h.r = value ++ (colour == PSA_MeterColor_t.GREEN ? 4w0 : colour == PSA_MeterColor_t.YELLOW ? 4w1 : 4w2);
    }
    action free(bit<4> value) {
        hdr.h.r = value ++ 4w15;
    }
    table t {
        key = { hdr.h.a : ternary; }
        actions = { metered; coloured; free; }
        default_action = metered(9);
        psa_direct_meter = limit;
        size = 8;
    }

    apply {
        t.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
