// Section "Meters" of PSA 1.2: colour-aware (RFC 2698, section 3): a packet never gets a better colour than it has, and takes from no bucket that its colour is above.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<8> cell;
    bit<8> before;
    bit<8> after;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    Meter<bit<8>>(4, PSA_MeterType_t.PACKETS) limit;
    apply {
        PSA_MeterColor_t colour = PSA_MeterColor_t.GREEN;
        if (hdr.h.before == 1) {
            colour = PSA_MeterColor_t.YELLOW;
        } else if (hdr.h.before == 2) {
            colour = PSA_MeterColor_t.RED;
        }
        if (hdr.h.before == 9) {
            colour = limit.execute(hdr.h.cell);
        } else {
            colour = limit.execute(hdr.h.cell, colour);
        }
        if (colour == PSA_MeterColor_t.GREEN) {
            hdr.h.after = 0;
        } else if (colour == PSA_MeterColor_t.YELLOW) {
            hdr.h.after = 1;
        } else {
            hdr.h.after = 2;
        }
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
