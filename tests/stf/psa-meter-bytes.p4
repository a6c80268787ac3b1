// Section "Meters" of PSA 1.2: by bytes, of which a packet has as many as came in.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Meter<bit<8>>(2, PSA_MeterType_t.BYTES) limit;
    action set(bit<8> value) {
        PSA_MeterColor_t colour = limit.execute(hdr.h.b);
        hdr.h.r = value;
        if (colour == PSA_MeterColor_t.YELLOW) {
            hdr.h.r = value + 1;
        } else if (colour == PSA_MeterColor_t.RED) {
            hdr.h.r = value + 2;
        }
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    apply {
        t.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
