// One of everything that a control plane changes, and a byte of the packet that tells what came of it.
#include <core.p4>
#include <v1model.p4>

header asked_t {
    bit<8> kind;
    bit<16> a;
    bit<32> b;
    bit<128> wide;
    bit<8> low;
}

header told_t {
    bit<32> exact;
    bit<80> bytes;
    bit<8> prefix;
    bit<8> masked;
    bit<8> chosen;
    bit<40> pair;
    bit<24> plain;
    bit<8> colours;
    bit<8> is_in;
    bit<8> port;
}

struct headers_t {
    asked_t asked;
    told_t told;
}

struct metadata_t {
    bit<1> is_in;
}

struct pair_t {
    bit<7> few;
    bit<33> many;
}

parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t std
) {
    value_set<bit<16>>(4) ours;

    state start {
        packet.extract(hdr.asked);
        packet.extract(hdr.told);
        transition select(hdr.asked.a) {
            ours: in_set;
            default: accept;
        }
    }
    state in_set {
        meta.is_in = 1;
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<20>>(8) plain;
    register<pair_t>(4) pairs;
    counter(4, CounterType.packets_and_bytes) seen;
    meter(4, MeterType.packets) limit;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_counter(CounterType.packets_and_bytes) masked_hits;
    direct_meter<bit<2>>(MeterType.bytes) rate;
    @max_group_size(4)
    action_selector(HashAlgorithm.identity, 8, 8) members;
    bit<2> own = 3;
    bit<2> cell = 3;

    action give(bit<32> value) {
        rate.read(own);
        hdr.told.exact = value;
    }

    action big(bit<80> bytes, bit<1> flag) {
        rate.read(own);
        hdr.told.bytes = bytes;
        hdr.told.exact = 31w0 ++ flag;
    }

    action register(bit<32> long) {
        hdr.told.exact = long + 1;
    }

    table exact_of {
        key = {
            hdr.asked.a: exact;
            hdr.asked.low: exact;
        }
        actions = {
            give;
            @tableonly big;
            @defaultonly register;
        }
        default_action = register(6);
        counters = hits;
        meters = rate;
        size = 16;
        entries = {
            const (1, 2): give(3);
            (4, 5): big(6, 1);
        }
    }

    action prefix_is(bit<8> value) {
        hdr.told.prefix = value;
    }

    @hardpath_table("masks")
    table prefix_of {
        key = {
            hdr.asked.b: lpm;
            hdr.asked.kind: exact;
        }
        actions = {
            prefix_is;
        }
        const default_action = prefix_is(0xff);
        size = 16;
    }

    table long_prefix_of {
        key = {
            hdr.asked.wide: lpm;
        }
        actions = {
            prefix_is;
            NoAction;
        }
        default_action = NoAction();
        size = 256;
    }

    action masked_is(bit<8> value) {
        hdr.told.masked = value;
    }

    table masked_of {
        key = {
            hdr.asked.a: ternary;
            hdr.asked.low: range;
            hdr.asked.b: optional;
            hdr.asked.wide: lpm;
            hdr.asked.kind: exact;
        }
        actions = {
            masked_is;
        }
        counters = masked_hits;
        size = 16;
    }

    action choose(bit<8> value) {
        hdr.told.chosen = value;
    }

    action choose_sum(bit<4> low) {
        hdr.told.chosen = hdr.asked.low + (bit<8>)low;
    }

    table chosen_of {
        key = {
            hdr.asked.kind: exact;
            hdr.asked.low: selector;
        }
        actions = {
            choose;
            choose_sum;
            NoAction;
        }
        default_action = choose(0xee);
        implementation = members;
        size = 16;
    }

    apply {
        exact_of.apply();
        prefix_of.apply();
        long_prefix_of.apply();
        masked_of.apply();
        chosen_of.apply();
        bit<32> place = (bit<32>)hdr.asked.kind[1:0];
        bit<20> held;
        plain.read(held, place);
        hdr.told.plain = (bit<24>)held;
        pair_t two;
        pairs.read(two, place);
        hdr.told.pair = two.few ++ two.many;
        seen.count(place);
        limit.execute_meter(place, cell);
        hdr.told.colours = own ++ 2w0 ++ cell ++ 2w0;
        hdr.told.is_in = (bit<8>)meta.is_in;
        hdr.told.port = std.ingress_port[7:0];
        std.egress_spec = 1;
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.asked);
        packet.emit(hdr.told);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
