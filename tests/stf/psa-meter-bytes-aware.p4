// Section "Meters" of PSA 1.2: by bytes, of packets that have a colour already: yellow takes no committed bytes, red none at all.
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
    apply {
        PSA_MeterColor_t before = PSA_MeterColor_t.GREEN;
        if (hdr.h.b == 1) {
            before = PSA_MeterColor_t.YELLOW;
        } else if (hdr.h.b == 2) {
            before = PSA_MeterColor_t.RED;
        }
        PSA_MeterColor_t colour = limit.execute(hdr.h.a, before);
        hdr.h.r = 0;
        if (colour == PSA_MeterColor_t.YELLOW) {
            hdr.h.r = 1;
        } else if (colour == PSA_MeterColor_t.RED) {
            hdr.h.r = 2;
        }
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
