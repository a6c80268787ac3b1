// Sections "Comments" and "Identifiers" of P4_16 1.2.5.
// Comments of both kinds, names with underscores and in both cases, trailing commas.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> _a;
    bit<8> A_1;
}

enum bit<8> kind_t { FIRST = 1, LAST = 2, }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        bit<8> /* a name */ a_1 = hdr.h._a; // the small one
        hdr.h.A_1 = a_1 /* no end here // */ + 1;
        hdr.h._a = (bit<8>)kind_t.LAST;
    }
}

#include "include/switch.p4"
