// A VXLAN gateway: Ethernet frames of tenants in UDP, each network with a number of its own (RFC 7348).
//
//     hardpath stf programs/p4/vxlan.p4 programs/p4/vxlan.stf       # packets in, packets out
//     hardpath compile programs/p4/vxlan.p4 -o build/vxlan          # SystemVerilog and a report
//     hardpath synth programs/p4/vxlan.p4                           # area and depth
//
// In a tunnel 50 bytes more stand in front of the frame:
//
//     Ethernet | IPv4 | UDP, port 4789 | VXLAN, with the network | Ethernet, as it was | ...
//
// A port belongs to a tenant's network (`ports`), or leads to other gateways (`underlay`). Where the destination of a frame is, is told by
// one table of networks and MAC addresses: at a port of ours (`at_port`) or behind another gateway (`behind`). Frames from a tenant may go
// either way, frames out of a tunnel only to ports, so that none goes round. What no entry knows is dropped: copies for all, which a
// switch makes of such frames, are not made here.
//
// The source port of UDP is a hash of the flow inside, so that routers on the way spread flows and keep the packets of each in order.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<24> network_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_VLAN = 0x8100;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_VXLAN = 4789;
// The bytes in front of a frame in UDP (UDP 8, VXLAN 8), and in IPv4.
const bit<16> IN_UDP = 16;
const bit<16> IN_IPV4 = 36;
// The longest frame that fits where other gateways are: there IPv4 packets have up to 1,600 bytes. Nothing is cut into fragments here
// (section 4.3).
const bit<32> LONGEST = 1564;

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

// RFC 768.
header udp_t {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}

// RFC 7348, section 5: flags are 8, reserved bits are sent as 0 and not looked at.
header vxlan_t {
    bit<4> reserved_0;
    bit<1> has_network;
    bit<27> reserved_1;
    network_t network;
    bit<8> reserved_2;
}

// What TCP (RFC 9293) and UDP (RFC 768) begin with.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    // What is put in front.
    ethernet_t outer_ethernet;
    ipv4_h outer_ipv4;
    udp_t outer_udp;
    vxlan_t outer_vxlan;
    // As the packet came in.
    ethernet_t ethernet;
    ipv4_h ipv4;
    ports_t ports;
    udp_t udp;
    vxlan_t vxlan;
    ethernet_t inner;
}

// Of a frame, for the hash; zeros where it has no such thing.
struct flow_t {
    ipv4_t src;
    ipv4_t dst;
    bit<8> protocol;
    bit<16> src_port;
    bit<16> dst_port;
}

struct metadata_t {
    flow_t flow;
    network_t network;
    mac_t dst;
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
            default: accept;
        }
    }
    // What is behind options, or in a fragment, is no matter to a gateway.
    state ipv4 {
        packet.extract(hdr.ipv4);
        meta.flow.src = hdr.ipv4.src;
        meta.flow.dst = hdr.ipv4.dst;
        meta.flow.protocol = hdr.ipv4.protocol;
        transition select(
            hdr.ipv4.version,
            hdr.ipv4.header_words,
            hdr.ipv4.flags,
            hdr.ipv4.fragment,
            hdr.ipv4.protocol
        ) {
            (4, 5, 0 &&& 1, 0, PROTOCOL_TCP): ports;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP): udp;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        meta.flow.src_port = hdr.ports.src;
        meta.flow.dst_port = hdr.ports.dst;
        transition accept;
    }
    state udp {
        packet.extract(hdr.udp);
        meta.flow.src_port = hdr.udp.src;
        meta.flow.dst_port = hdr.udp.dst;
        transition select(hdr.udp.dst) {
            PORT_VXLAN: vxlan;
            default: accept;
        }
    }
    state vxlan {
        packet.extract(hdr.vxlan);
        packet.extract(hdr.inner);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.vxlan.isValid(),
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
                hdr.ipv4.dst
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bool is_tenant = false;
    bool from_tunnel = false;
    ipv4_t own_address = 0;
    mac_t own_mac = 0;

    action drop() {
        mark_to_drop(std);
    }

    action tenant(network_t network) {
        is_tenant = true;
        meta.network = network;
        meta.dst = hdr.ethernet.dst;
    }

    // The port leads to other gateways.
    action underlay() {
        from_tunnel = true;
        meta.network = hdr.vxlan.network;
        meta.dst = hdr.inner.dst;
    }

    table ports {
        key = {
            std.ingress_port: exact;
        }
        actions = {
            tenant;
            underlay;
            drop;
        }
        default_action = drop();
        size = 64;
    }

    // This gateway's end of all tunnels.
    action end(ipv4_t address, mac_t mac) {
        own_address = address;
        own_mac = mac;
    }

    action none() {}

    // Has a default action and no entries.
    table own {
        actions = {
            end;
            none;
        }
        default_action = none();
    }

    action at_port(port_t port) {
        std.egress_spec = port;
    }

    action behind(ipv4_t gateway, port_t port, mac_t next_hop) {
        std.egress_spec = port;
        hdr.outer_ethernet.setValid();
        hdr.outer_ethernet.dst = next_hop;
        hdr.outer_ipv4.setValid();
        hdr.outer_ipv4.dst = gateway;
    }

    table addresses {
        key = {
            meta.network: exact;
            meta.dst: exact;
        }
        actions = {
            at_port;
            behind;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    // What is the same for all tunnels, and what depends on the frame.
    action wrap() {
        bit<16> length = (bit<16>)std.packet_length;
        bit<14> flow;
        hash(
            flow,
            HashAlgorithm.crc16,
            14w0,
            { hdr.ethernet.dst, hdr.ethernet.src, hdr.ethernet.type, meta.flow },
            32w0x4000);

        hdr.outer_ethernet.src = own_mac;
        hdr.outer_ethernet.type = TYPE_IPV4;
        hdr.outer_ipv4.version = 4;
        hdr.outer_ipv4.header_words = 5;
        hdr.outer_ipv4.service = 0;
        hdr.outer_ipv4.length = length + IN_IPV4;
        // A packet that is no fragment and is not to become one needs no number (RFC 6864).
        hdr.outer_ipv4.identification = 0;
        hdr.outer_ipv4.flags = 0b010;
        hdr.outer_ipv4.fragment = 0;
        hdr.outer_ipv4.ttl = 64;
        hdr.outer_ipv4.protocol = PROTOCOL_UDP;
        hdr.outer_ipv4.src = own_address;
        hdr.outer_udp.setValid();
        // From 49,152 to 65,535 (section 5).
        hdr.outer_udp.src = 2w0b11 ++ flow;
        hdr.outer_udp.dst = PORT_VXLAN;
        hdr.outer_udp.length = length + IN_UDP;
        hdr.outer_udp.checksum = 0;
        hdr.outer_vxlan.setValid();
        hdr.outer_vxlan = { 0, 1, 0, meta.network, 0 };
    }

    // What was in the tunnel is the packet.
    action unwrap() {
        hdr.ethernet.setInvalid();
        hdr.ipv4.setInvalid();
        hdr.udp.setInvalid();
        hdr.vxlan.setInvalid();
    }

    apply {
        ports.apply();
        own.apply();
        // Tags do not go into tunnels, nor come out of them (section 6.1). A frame of a tenant may be anything else: what the parser has
        // not come to the end of is a frame, too.
        bool is_right;
        if (from_tunnel) {
            is_right = std.parser_error == error.NoError
                && std.checksum_error == 0
                && hdr.inner.isValid()
                && hdr.inner.type != TYPE_VLAN
                && hdr.ipv4.dst == own_address
                && hdr.vxlan.has_network == 1;
        } else {
            is_right = is_tenant && hdr.ethernet.isValid() && hdr.ethernet.type != TYPE_VLAN;
        }

        if (is_right) {
            switch (addresses.apply().action_run) {
                at_port: {
                    if (from_tunnel) {
                        unwrap();
                    }
                }
                behind: {
                    if (from_tunnel || std.packet_length > LONGEST) {
                        drop();
                    } else {
                        wrap();
                    }
                }
            }
        } else {
            drop();
        }
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.outer_ipv4.isValid(),
            {
                hdr.outer_ipv4.version,
                hdr.outer_ipv4.header_words,
                hdr.outer_ipv4.service,
                hdr.outer_ipv4.length,
                hdr.outer_ipv4.identification,
                hdr.outer_ipv4.flags,
                hdr.outer_ipv4.fragment,
                hdr.outer_ipv4.ttl,
                hdr.outer_ipv4.protocol,
                hdr.outer_ipv4.src,
                hdr.outer_ipv4.dst
            },
            hdr.outer_ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.outer_ethernet);
        packet.emit(hdr.outer_ipv4);
        packet.emit(hdr.outer_udp);
        packet.emit(hdr.outer_vxlan);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
        packet.emit(hdr.udp);
        packet.emit(hdr.vxlan);
        packet.emit(hdr.inner);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
