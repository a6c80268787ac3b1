// Section "Method invocations and function calls" of P4_16 1.2.5.
// Arguments with names can stand in any order; they are evaluated as they stand.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
}

bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}
void f(in bit<8> high, in bit<8> low, out bit<8> result) {
    result = (high << 4) + low;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        f(low = bump(hdr.h.a), high = bump(hdr.h.a), result = hdr.h.r);
        f(result = hdr.h.s, high = 1, low = 2);
    }
}

#include "include/switch.p4"
