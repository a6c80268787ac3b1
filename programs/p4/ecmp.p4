// A router that spreads flows over several links: IPv4 and IPv6 by longest prefix, next hops by a hash of the flow (RFC 2991).
//
//     hardpath stf programs/p4/ecmp.p4 programs/p4/ecmp.stf         # packets in, packets out
//     hardpath compile programs/p4/ecmp.p4 -o build/ecmp            # SystemVerilog and a report
//     hardpath synth programs/p4/ecmp.p4                            # area and depth
//
// A prefix leads to one next hop or to a group of them, of which the hash chooses:
//
//     routes_4, routes_6 (longest prefix)  -->  next_hops: a member, or a group and the flow  -->  out, rewritten
//
// Both tables share the next hops, so a link that is lost is taken out of its groups once, and in one step. Packets of a flow go the same
// way. So do all fragments of a datagram: those have no ports that count, not even the first. Routers in a row that hash alike would send
// all that reaches the second one over one of its links, so each has a number of its own in front of the flow.
//
// What no route knows is dropped, and so is what a router must not forward: frames to others, packets that are cut, wrong checksums and
// lifetimes that are used up (RFC 1812, sections 5.2.2 and 5.3.1).
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<128> ipv6_t;
typedef bit<9> port_t;
typedef bit<16> salt_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_IPV6 = 0x86dd;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

// RFC 791, section 3.1.
header ipv4_h {
    bit<4> version;
    bit<4> header_words;
    bit<8> service;
    bit<16> length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    ipv4_t src;
    ipv4_t dst;
}

header ipv4_options_t {
    varbit<320> data;
}

// RFC 8200, section 3.
header ipv6_h {
    bit<4> version;
    bit<8> service;
    bit<20> flow;
    bit<16> length;
    bit<8> protocol;
    bit<8> ttl;
    ipv6_t src;
    ipv6_t dst;
}

// What TCP (RFC 9293) and UDP (RFC 768) begin with.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    ipv4_options_t options;
    ipv6_h ipv6;
    ports_t ports;
}

// What the hash is of; zeros where a packet has no such thing.
struct flow_t {
    salt_t salt;
    ipv6_t src;
    ipv6_t dst;
    // Behind headers of IPv6 that are not looked into, this tells flows apart (RFC 6438).
    bit<24> label;
    bit<8> protocol;
    bit<16> src_port;
    bit<16> dst_port;
}

struct metadata_t {
    flow_t flow;
    bool is_own;
    bool is_routed;
}

error {
    OtherVersion,
    HeaderLengthTooSmall
}

parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t std
) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            TYPE_IPV6: ipv6;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.OtherVersion);
        verify(hdr.ipv4.header_words >= 5, error.HeaderLengthTooSmall);
        meta.flow.src = (ipv6_t)hdr.ipv4.src;
        meta.flow.dst = (ipv6_t)hdr.ipv4.dst;
        meta.flow.protocol = hdr.ipv4.protocol;
        transition select(hdr.ipv4.header_words) {
            5: behind_options;
            default: options;
        }
    }
    state options {
        packet.extract(hdr.options, ((bit<32>)hdr.ipv4.header_words - 5) * 32);
        transition behind_options;
    }
    state behind_options {
        transition select(hdr.ipv4.flags, hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (0 &&& 1, 0, PROTOCOL_TCP): ports;
            (0 &&& 1, 0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }
    state ipv6 {
        packet.extract(hdr.ipv6);
        verify(hdr.ipv6.version == 6, error.OtherVersion);
        meta.flow.src = hdr.ipv6.src;
        meta.flow.dst = hdr.ipv6.dst;
        meta.flow.label = (bit<24>)hdr.ipv6.flow;
        meta.flow.protocol = hdr.ipv6.protocol;
        transition select(hdr.ipv6.protocol) {
            PROTOCOL_TCP: ports;
            PROTOCOL_UDP: ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        meta.flow.src_port = hdr.ports.src;
        meta.flow.dst_port = hdr.ports.dst;
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version,
                hdr.ipv4.header_words,
                hdr.ipv4.service,
                hdr.ipv4.length,
                hdr.ipv4.identification,
                hdr.ipv4.flags,
                hdr.ipv4.fragment,
                hdr.ipv4.ttl,
                hdr.ipv4.protocol,
                hdr.ipv4.src,
                hdr.ipv4.dst,
                hdr.options.data
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action_selector(HashAlgorithm.crc32, 64, 14) next_hops;
    direct_counter(CounterType.packets_and_bytes) routed_4;
    direct_counter(CounterType.packets_and_bytes) routed_6;

    action drop() {
        mark_to_drop(std);
    }

    // The address of this router, on all of its ports.
    action router(mac_t mac, salt_t salt) {
        meta.is_own = hdr.ethernet.dst == mac;
        meta.flow.salt = salt;
    }

    // Has a default action and no entries.
    table own {
        actions = {
            router;
            drop;
        }
        default_action = drop();
    }

    action send(port_t port, mac_t src, mac_t dst) {
        std.egress_spec = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
        meta.is_routed = true;
    }

    table routes_4 {
        key = {
            hdr.ipv4.dst: lpm;
            meta.flow.salt: selector;
            meta.flow.src: selector;
            meta.flow.dst: selector;
            meta.flow.label: selector;
            meta.flow.protocol: selector;
            meta.flow.src_port: selector;
            meta.flow.dst_port: selector;
        }
        actions = {
            send;
            drop;
        }
        default_action = drop();
        implementation = next_hops;
        counters = routed_4;
        size = 1024;
    }

    table routes_6 {
        key = {
            hdr.ipv6.dst: lpm;
            meta.flow.salt: selector;
            meta.flow.src: selector;
            meta.flow.dst: selector;
            meta.flow.label: selector;
            meta.flow.protocol: selector;
            meta.flow.src_port: selector;
            meta.flow.dst_port: selector;
        }
        actions = {
            send;
            drop;
        }
        default_action = drop();
        implementation = next_hops;
        counters = routed_6;
        size = 256;
    }

    apply {
        own.apply();
        if (std.parser_error != error.NoError || !meta.is_own) {
            drop();
        } else if (hdr.ipv4.isValid()) {
            if (std.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
                drop();
            } else {
                routes_4.apply();
            }
        } else if (hdr.ipv6.isValid() && hdr.ipv6.ttl > 1) {
            routes_6.apply();
        } else {
            drop();
        }
        if (meta.is_routed) {
            if (hdr.ipv4.isValid()) {
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            } else {
                hdr.ipv6.ttl = hdr.ipv6.ttl - 1;
            }
        }
    }
}

// How well flows are spread.
control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(512, CounterType.packets_and_bytes) sent;

    apply {
        sent.count((bit<32>)std.egress_port);
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version,
                hdr.ipv4.header_words,
                hdr.ipv4.service,
                hdr.ipv4.length,
                hdr.ipv4.identification,
                hdr.ipv4.flags,
                hdr.ipv4.fragment,
                hdr.ipv4.ttl,
                hdr.ipv4.protocol,
                hdr.ipv4.src,
                hdr.ipv4.dst,
                hdr.options.data
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
