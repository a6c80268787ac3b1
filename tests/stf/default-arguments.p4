// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// Parameters with defaults are left out at the end, or anywhere where arguments have names.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
}

bit<8> f(in bit<8> x, in bit<8> y = 16, in bit<8> z = 3) {
    return (x << 4) + (y << 1) + z;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = f(hdr.h.a);
        hdr.h.s = f(hdr.h.a, 1);
        hdr.h.t = f(z = 2, x = hdr.h.a);
    }
}

#include "include/switch.p4"
