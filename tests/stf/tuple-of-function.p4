// Sections "Operations on tuple expressions" and "Function declarations" of P4_16 1.2.5.
// A function takes a tuple and gives one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
    bit<8> s;
}

tuple<bit<8>, bit<8>> swap(in tuple<bit<8>, bit<8>> pair) {
    return { pair[1], pair[0] };
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        tuple<bit<8>, bit<8>> t = swap({ hdr.h.a, hdr.h.b });
        hdr.h.r = t[0];
        hdr.h.s = t[1];
    }
}

#include "include/switch.p4"
