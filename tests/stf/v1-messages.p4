// Section "Extern functions" of P4_16 1.2.5.
// v1model: what log_msg, assert, assume and digest say, and that packets do not notice.
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

struct learnt_t {
    bit<8> a;
    bool known;
}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    learnt_t learnt;

    apply {
        log_msg("a = {}, r = {}, {}", { hdr.h.a, hdr.h.r });
        assert(hdr.h.a < 100);
        assume(hdr.h.r == 7);
        learnt = { hdr.h.a, hdr.h.a == 5 };
        digest<learnt_t>(1, learnt);
        hdr.h.r = hdr.h.a;
    }
}

#include "include/switch.p4"
