// Section "Constants" of P4_16 1.2.5.
// Constants of numbers, Booleans, structs and enums, and such that follow from others.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
}

struct pair_t {
    bit<8> x;
    bit<8> y;
}
enum bit<8> side_t { LEFT = 7 }
const pair_t PAIR = { 3, 4 };
const bit<8> SUM = PAIR.x * PAIR.y + 2;
const bool MANY = SUM > 10;
const side_t SIDE = side_t.LEFT;

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = PAIR.x + PAIR.y;
        hdr.h.s = MANY ? SUM : 8w0;
        hdr.h.t = (bit<8>)SIDE + hdr.h.a;
    }
}

#include "include/switch.p4"
