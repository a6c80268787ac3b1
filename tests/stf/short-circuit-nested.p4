// Section "Expression evaluation order" of P4_16 1.2.5.
// Calls in a longer condition: only those happen that the result depends on, from the left to the right.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<1> a;
    bit<1> b;
    bit<6> rest;
    bit<8> first;
    bit<8> second;
    bit<8> r;
}

bool count(inout bit<8> calls, in bool answer) {
    calls = calls + 1;
    return answer;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (count(hdr.h.first, hdr.h.a == 1) && (hdr.h.b == 1 || count(hdr.h.second, true))) { hdr.h.r = 1; }
    }
}

#include "include/switch.p4"
