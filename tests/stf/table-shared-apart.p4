// Sections "Tables" and "Conditional statement" of P4_16 1.2.5.
// Three tables share a memory: the parser decides between two of them, which are applied one behind the other, and what another table
// finds between them and the third one. Their entries count.
#include <core.p4>
#include <v1model.p4>

header kind_t {
    bit<8> kind;
}
header short_t {
    bit<8> key;
}
header long_t {
    bit<40> key;
}
header found_t {
    bit<8> value;
}

struct headers_t {
    kind_t kind;
    short_t short;
    long_t long;
    found_t found;
}
struct meta_t {
    bit<8> number;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind[3:0]) {
            1: short;
            2: long;
            default: last;
        }
    }
    state short {
        packet.extract(hdr.short);
        transition last;
    }
    state long {
        packet.extract(hdr.long);
        transition last;
    }
    state last {
        packet.extract(hdr.found);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) of_shorts;
    direct_counter(CounterType.packets) of_longs;
    action set(bit<8> value) {
        hdr.found.value = value;
    }
    action short(bit<8> value) {
        hdr.found.value = value;
        of_shorts.count();
    }
    action add(bit<8> value) {
        hdr.found.value = hdr.found.value + value;
        of_longs.count();
    }
    action go() {
        meta.number = 1;
    }
    action stay() {}
    table first {
        key = {
            hdr.kind.kind: exact;
        }
        actions = {
            go;
            stay;
        }
        default_action = stay();
        size = 16;
    }
    @hardpath_share("keys") table shorts {
        key = {
            hdr.short.key: exact;
        }
        actions = {
            short;
            stay;
        }
        default_action = stay();
        counters = of_shorts;
        size = 4;
    }
    @hardpath_share("keys") table longs {
        key = {
            hdr.long.key: exact;
            hdr.kind.kind: exact;
        }
        actions = {
            add;
            stay;
        }
        default_action = stay();
        counters = of_longs;
        size = 4;
    }
    @hardpath_share("keys") table others {
        key = {
            hdr.kind.kind: exact;
        }
        actions = {
            set;
            stay;
        }
        default_action = set(0x77);
        size = 2;
    }

    apply {
        switch (first.apply().action_run) {
            go: {
                if (hdr.short.isValid()) {
                    shorts.apply();
                }
                if (hdr.long.isValid() && hdr.found.value != 0) {
                    longs.apply();
                }
            }
            default: {
                others.apply();
            }
        }
    }
}

#include "include/switch.p4"
