// Sections "Tables" and "Match-action unit execution semantics" of P4_16 1.2.5.
// Two tables share a memory, since a packet is of one version or the other: each has its own entries, actions and default action.
#include <core.p4>
#include <v1model.p4>

header kind_t {
    bit<8> kind;
}
header v4_t {
    bit<32> to;
}
header v6_t {
    bit<128> to;
}
header found_t {
    bit<8> by;
    bit<16> value;
}

struct headers_t {
    kind_t kind;
    v4_t v4;
    v6_t v6;
    found_t found;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind) {
            4: v4;
            6: v6;
            default: last;
        }
    }
    state v4 {
        packet.extract(hdr.v4);
        transition last;
    }
    state v6 {
        packet.extract(hdr.v6);
        transition last;
    }
    state last {
        packet.extract(hdr.found);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action low(bit<8> value) {
        hdr.found.by = 4;
        hdr.found.value[7:0] = value;
    }
    action whole(bit<16> value, bit<8> by) {
        hdr.found.by = by;
        hdr.found.value = value;
    }
    action none(bit<16> value) {
        hdr.found.value = value;
    }
    @hardpath_share("addresses") table v4 {
        key = {
            hdr.v4.to: exact;
        }
        actions = {
            low;
            none;
        }
        default_action = none(0xaaaa);
        size = 5;
    }
    @hardpath_share("addresses") table v6 {
        key = {
            hdr.v6.to: exact;
        }
        actions = {
            none;
            whole;
        }
        default_action = none(0xbbbb);
        size = 3;
        entries = {
            0x1: whole(0x1111, 1);
        }
    }

    apply {
        if (hdr.v4.isValid()) {
            v4.apply();
        } else if (hdr.v6.isValid()) {
            if (v6.apply().hit) {
                std.egress_spec = 1;
            }
        }
    }
}

#include "include/switch.p4"
