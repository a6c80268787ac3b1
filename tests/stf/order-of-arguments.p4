// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// Arguments are evaluated from the left to the right before the call; a value that was taken does not change any more.
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
bit<8> join(in bit<8> high, in bit<8> low) {
    return high[3:0] ++ low[3:0];
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = join(hdr.h.a, bump(hdr.h.a));
        hdr.h.s = join(bump(hdr.h.a), hdr.h.a);
    }
}

#include "include/switch.p4"
