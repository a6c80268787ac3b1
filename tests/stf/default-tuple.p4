// Sections "Initializing with default values" and "Operations on tuple expressions" of P4_16 1.2.5.
// A tuple is initialised with default values.
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
        tuple<bit<8>, bool> t = { ... };
        hdr.h.r = t[1] ? 8w1 : t[0] + 2;
    }
}

#include "include/switch.p4"
