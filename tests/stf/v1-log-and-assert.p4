// Section "Extern functions" of P4_16 1.2.5.
// v1model: log_msg, and assert and assume of what holds, change nothing.
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
    apply {
        log_msg("a packet");
        log_msg("a = {}, r = {}", { hdr.h.a, hdr.h.r });
        assert(hdr.h.a < 100);
        assume(hdr.h.a != 99);
        hdr.h.r = hdr.h.a;
    }
}

#include "include/switch.p4"
