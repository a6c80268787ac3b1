// Section "Actions" of P4_16 1.2.5.
// An action sees the variables of its control, and what it does to them stays.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> total = 1;
    action add() {
        total = total + hdr.h.a;
    }

    apply {
        add();
        add();
        hdr.h.r = total;
    }
}

#include "include/switch.p4"
