// A classifier by five-tuple: what a packet is decides its VLAN tag, or that it is dropped, and each rule counts.
//
//     hardpath stf programs/p4/classifier.p4 programs/p4/classifier.stf # packets in, packets out
//     hardpath compile programs/p4/classifier.p4 -o build/classifier    # SystemVerilog and a report
//     hardpath synth programs/p4/classifier.p4                          # area and depth
//
// Rules stand in one table: addresses and protocol with masks, ports as ranges; of those that match, the one with the highest priority
// counts the packet and says what becomes of it. A tag that the packet already has is written over, else one is put in:
//
//     Ethernet | tag, with the class | IPv4 | ports | ...
//
// Which way a packet goes is no matter of its class: ports are linked in pairs (`links`). What is not IPv4 has no class and goes through
// as it is; what is cut or has a wrong header is dropped.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_VLAN = 0x8100;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

// IEEE 802.1Q: what stands in front of it says that it comes, and it says what comes behind.
header vlan_t {
    bit<3> priority;
    bit<1> drop_eligible;
    bit<12> id;
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

// What TCP (RFC 9293) and UDP (RFC 768) begin with.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
    ipv4_h ipv4;
    ipv4_options_t options;
    ports_t ports;
}

struct metadata_t {
    // 0: another protocol, or a fragment that is not the first; the ports are then 0. Rules about ports ask for 1.
    bit<1> has_ports;
    bit<16> src_port;
    bit<16> dst_port;
    // Dropped at the end: what the packet has in front then does not depend on it, and is known sooner.
    bool is_refused;
}

error {
    NotIPv4,
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
            TYPE_VLAN: vlan;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.NotIPv4);
        verify(hdr.ipv4.header_words >= 5, error.HeaderLengthTooSmall);
        transition select(hdr.ipv4.header_words) {
            5: protocol;
            default: options;
        }
    }
    state options {
        packet.extract(hdr.options, ((bit<32>)hdr.ipv4.header_words - 5) * 32);
        transition protocol;
    }
    state protocol {
        transition select(hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): ports;
            (0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        meta.has_ports = 1;
        meta.src_port = hdr.ports.src;
        meta.dst_port = hdr.ports.dst;
        transition accept;
    }
}

// Packets go on as they came: nothing is checked that the hosts do not check themselves.
control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) hits;

    action drop() {
        mark_to_drop(std);
    }

    action link(port_t port) {
        std.egress_spec = port;
    }

    table links {
        key = {
            std.ingress_port: exact;
        }
        actions = {
            link;
            drop;
        }
        default_action = drop();
        size = 16;
    }

    // The class, as IEEE 802.1Q has it: a network and a priority. The tag is new, or says something new; what it says of dropping stays.
    action set_class(bit<12> id, bit<3> priority) {
        hits.count();
        if (!hdr.vlan.isValid()) {
            hdr.vlan.setValid();
            hdr.vlan.drop_eligible = 0;
            hdr.vlan.type = hdr.ethernet.type;
            hdr.ethernet.type = TYPE_VLAN;
        }
        hdr.vlan.id = id;
        hdr.vlan.priority = priority;
    }

    // As it came, with its tag or without one.
    action keep() {
        hits.count();
    }

    action refuse() {
        hits.count();
        meta.is_refused = true;
    }

    table classes {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.dst: ternary;
            hdr.ipv4.protocol: ternary;
            meta.has_ports: ternary;
            meta.src_port: range;
            meta.dst_port: range;
        }
        actions = {
            set_class;
            keep;
            refuse;
        }
        // Not counted: it is no entry.
        default_action = keep();
        counters = hits;
        size = 64;
    }

    apply {
        if (std.parser_error != error.NoError) {
            drop();
        } else {
            switch (links.apply().action_run) {
                link: {
                    if (hdr.ipv4.isValid()) {
                        classes.apply();
                    }
                }
            }
        }
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (meta.is_refused) {
            mark_to_drop(std);
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ports);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
