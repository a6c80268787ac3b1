// Section "Return statement" of P4_16 1.2.5.
// What stands behind a return is not done, and inout parameters are copied out with what they have then.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> step(inout bit<8> n) {
    n = n + 1;
    if (n < 50) {
        return n;
    }
    n = n + 1;
    return 1;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = step(hdr.h.a);
    }
}

#include "include/switch.p4"
