// Sections "Extern objects" and "Additional properties" of P4_16 1.2.5.
// v1model: a counter of a table counts for each entry how often it was found.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) hits;
    action set(bit<8> value) {
        hdr.h.r = value;
        hits.count();
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { set; }
        counters = hits;
    }

    apply {
        t.apply();
    }
}

#include "include/switch.p4"
