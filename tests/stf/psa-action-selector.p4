// Section "Action Selector" of PSA 1.2: the last bits of the hash, as many as its width says.
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
    ActionSelector(PSA_HashAlgorithm_t.IDENTITY, 32w16, 32w4) sel;
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action next() {
        hdr.h.r = hdr.h.r + 1;
    }
    table t {
        key = {
            hdr.h.a : exact;
            hdr.h.b : selector;
        }
        actions = { set; next; NoAction; }
        psa_implementation = sel;
    }
    apply {
        t.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
