// Sections "Explicit casts" and "typedef" of P4_16 1.2.5.
// A cast from a type to itself, and to another name of it, changes nothing.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

typedef bit<8> octet_t;

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        octet_t x = (octet_t)hdr.h.a;
        hdr.h.r = (bit<8>)(bit<8>)x;
    }
}

#include "include/switch.p4"
