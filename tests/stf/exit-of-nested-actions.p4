// Section "Exit statement" of P4_16 1.2.5.
// An exit in an action that another one called ends all of them; parameters are copied out on each level.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action inner(inout bit<8> n) {
        n = n + 1;
        if (n == 7) {
            exit;
        }
        n = n + 1;
    }
    action outer(inout bit<8> m) {
        m = m + 1;
        inner(m);
        m = m + 101;
    }

    apply {
        outer(hdr.h.a);
        hdr.h.r = 9;
    }
}

#include "include/switch.p4"
