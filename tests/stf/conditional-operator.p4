// Section "Conditional operator" of P4_16 1.2.5.
// Only the chosen side of a conditional expression is evaluated; such expressions can stand in each other.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> yes;
    bit<8> no;
    bit<8> r;
}

bit<8> one_more(inout bit<8> number) {
    number = number + 1;
    return number;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a < 10 ? one_more(hdr.h.yes) : one_more(hdr.h.no);
        hdr.h.r = hdr.h.a == 0 ? 8w100 : hdr.h.a == 1 ? 8w101 : hdr.h.r;
    }
}

#include "include/switch.p4"
