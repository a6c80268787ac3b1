// Section "Action Profile" of PSA 1.2.
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
    ActionProfile(8) ap;
    action set(bit<8> value) {
        hdr.h.r = value;
    }
    action next() {
        hdr.h.r = hdr.h.r + 1;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; next; NoAction; }
        psa_implementation = ap;
    }
    apply {
        t.apply();
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
