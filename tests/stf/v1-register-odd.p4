// Section "Extern objects" of P4_16 1.2.5.
// v1model: cells of an odd width, signed and in an action.
#include <core.p4>
#include <v1model.p4>

header data_t {
    int<13> v;
    bit<3> i;
    int<13> r;
    bit<3> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<int<13>>(8) cells;
    action swap() {
        int<13> old;
        cells.read(old, (bit<32>)hdr.h.i);
        cells.write((bit<32>)hdr.h.i, hdr.h.v + 1);
        hdr.h.r = old;
    }

    apply {
        swap();
    }
}

#include "include/switch.p4"
