// Section "Exit statement" of P4_16 1.2.5.
// An exit in an action ends the control too; the parameters of the action are copied out.
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
    action step(inout bit<8> n) {
        n = n + 1;
        if (n == 6) {
            exit;
        }
        n = n + 1;
    }

    apply {
        step(hdr.h.a);
        hdr.h.r = 9;
    }
}

#include "include/switch.p4"
