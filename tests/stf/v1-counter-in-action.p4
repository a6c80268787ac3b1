// Section "Extern objects" of P4_16 1.2.5.
// v1model: a counter in an action of a table counts what the action runs for, also where the packet is dropped.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    counter(8, CounterType.packets) cells;
    action hit(bit<3> i) {
        cells.count((bit<32>)i);
        mark_to_drop(std);
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
