// Sections "Calling convention: call by copy in/copy out" and "Expression evaluation order" of P4_16 1.2.5.
// Calls in arguments of calls, all with inout parameters that are one variable.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> add(inout bit<8> x, in bit<8> y) {
    x = x + y;
    return x;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = add(hdr.h.a, add(hdr.h.a, add(hdr.h.a, 1)));
    }
}

#include "include/switch.p4"
