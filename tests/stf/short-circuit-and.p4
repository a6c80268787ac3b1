// Section "Expression evaluation order" of P4_16 1.2.5.
// The right side of && is evaluated only where the left side holds.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<1> a;
    bit<7> rest;
    bit<8> calls;
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
        if (hdr.h.a == 1 && count(hdr.h.calls, true)) { hdr.h.r = 1; } else { hdr.h.r = 2; }
    }
}

#include "include/switch.p4"
