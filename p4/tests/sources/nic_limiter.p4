// A program for hardpath_nic.p4: flows that are known go on to another interface, all others are counted and passed to the host.
#include <hardpath_nic.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}

header ipv4_t {
    bit<4> version;
    bit<4> length;
    bit<8> service;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
    bit<16> flow;
}

struct sighting_t {
    bit<32> src;
    bit<64> at;
}

parser parse(
    packet_in packet,
    out headers_t headers,
    inout metadata_t user_meta,
    in nic_parser_input_metadata_t istd
) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.kind) {
            0x0800: ipv4;
            _: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        verify(istd.packet_length >= 34, error.PacketTooShort);
        transition accept;
    }
}

control process(
    inout headers_t headers,
    inout metadata_t user_meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd
) {
    Hash<bit<16>>(NicHashAlgorithm_t.CRC16) hash;
    Counter<bit<64>, bit<32>>(4, NicCounterType_t.PACKETS_AND_BYTES) seen;
    DirectCounter<bit<64>>(NicCounterType_t.PACKETS) routed;
    Register<bit<64>, bit<16>>(65536, 0) last;
    Random<bit<8>>(0, 99) dice;
    InternetChecksum() checksum;
    Digest<sighting_t>() sightings;

    action route(bit<32> interface, bit<48> dst) {
        routed.count();
        headers.ethernet.dst = dst;
        nic_redirect(ostd, interface);
    }
    action to_worker(bit<32> queue) {
        routed.count();
        nic_redirect_to_queue(ostd, queue);
    }
    table routes {
        key = {
            headers.ipv4.dst: lpm;
            istd.ingress_interface: optional;
        }
        actions = {
            route;
            to_worker;
            nic_tx(ostd);
            @defaultonly nic_pass(ostd);
        }
        const default_action = nic_pass(ostd);
        nic_direct_counter = routed;
        size = 1024;
    }

    apply {
        seen.count(istd.ingress_interface & 3);
        if (istd.parser_error != error.NoError || !headers.ipv4.isValid()) {
            nic_drop(ostd);
            return;
        }
        user_meta.flow = hash.get_hash({ headers.ipv4.src, headers.ipv4.dst });
        bit<64> before = last.read(user_meta.flow);
        last.write(user_meta.flow, istd.timestamp);
        if (istd.timestamp - before < 1000 && dice.read() < 10) {
            sightings.pack({ headers.ipv4.src, istd.timestamp });
            nic_abort(ostd);
        } else if (routes.apply().hit && ostd.verdict == NicVerdict_t.REDIRECT) {
            checksum.subtract(headers.ipv4.ttl ++ headers.ipv4.protocol);
            headers.ipv4.ttl = headers.ipv4.ttl - 1;
            checksum.add(headers.ipv4.ttl ++ headers.ipv4.protocol);
            headers.ipv4.checksum = checksum.get();
        }
    }
}

control deparse(packet_out packet, in headers_t headers, in metadata_t user_meta) {
    apply {
        packet.emit(headers);
    }
}

HardpathNic(parse(), process(), deparse()) main;
