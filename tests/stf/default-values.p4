// Sections "Initializing with default values" and "Default values" of P4_16 1.2.5.
// Three dots initialise variables of each kind with their default values.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> flags;
}

enum plain_t { FIRST, SECOND }
enum bit<8> named_t { ONE = 1, TWO = 2 }
struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bit<8> number = ...;
        int<8> with_sign = ...;
        bool truth = ...;
        error reason = ...;
        plain_t plain = ...;
        named_t named = ...;
        pair_t pair = ...;
        hdr.h.r = number + pair.x + pair.y;
        hdr.h.s = (bit<8>)with_sign + (bit<8>)named;
        hdr.h.flags = 0;
        if (!truth) { hdr.h.flags[0:0] = 1; }
        if (reason == error.NoError) { hdr.h.flags[1:1] = 1; }
        if (plain == plain_t.FIRST) { hdr.h.flags[2:2] = 1; }
    }
}

#include "include/switch.p4"
