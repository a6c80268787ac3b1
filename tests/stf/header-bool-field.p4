// Sections "Header types" and "The Boolean type" of P4_16 1.2.5.
// A header can have fields that are Booleans, of one bit each.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bool flag;
    bool other;
    bit<6> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.other = !hdr.h.flag;
        if (hdr.h.flag) { hdr.h.rest = 63; }
    }
}

#include "include/switch.p4"
