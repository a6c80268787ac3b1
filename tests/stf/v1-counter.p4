// Section "Extern objects" of P4_16 1.2.5.
// v1model: a counter counts packets and bytes in the cell that is named; bytes are those of the packet as it came.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> i;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    counter(4, CounterType.packets_and_bytes) cells;

    apply {
        cells.count((bit<32>)hdr.h.i);
    }
}

#include "include/switch.p4"
