// Section "Method invocations and function calls" of P4_16 1.2.5.
// The result of a function can be left unused; what it does to its parameters stays.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bump(hdr.h.a);
        bump(hdr.h.a);
    }
}

#include "include/switch.p4"
