// Sections "Extern objects" and "Stateful elements" of P4_16 1.2.5.
// v1model: a register keeps what one packet wrote for the next one; at first, all its cells are zero.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> i;
    bit<16> v;
    bit<16> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<16>>(4) cells;

    apply {
        cells.read(hdr.h.r, (bit<32>)hdr.h.i);
        cells.write((bit<32>)hdr.h.i, hdr.h.v);
    }
}

#include "include/switch.p4"
