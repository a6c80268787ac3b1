// Section "Extern objects" of P4_16 1.2.5.
// v1model: reads and writes of one packet happen in the order of the program.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> r;
    bit<8> s;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<8>>(1) cells;

    apply {
        cells.read(hdr.h.r, 0);
        cells.write(0, hdr.h.r + 1);
        cells.read(hdr.h.s, 0);
        cells.write(0, hdr.h.s + 1);
    }
}

#include "include/switch.p4"
