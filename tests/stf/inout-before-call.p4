// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// An inout argument has the value from before a later argument changes it, and is overwritten behind the call.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}
void f(inout bit<8> x, in bit<8> y) {
    x = x + y;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        f(hdr.h.a, bump(hdr.h.a));
    }
}

#include "include/switch.p4"
