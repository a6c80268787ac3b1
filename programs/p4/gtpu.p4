// A gateway of mobile networks: packets of users in GTP-U tunnels, a session and a rate for each (3GPP TS 29.281).
//
//     hardpath stf programs/p4/gtpu.p4 programs/p4/gtpu.stf         # packets in, packets out
//     hardpath compile programs/p4/gtpu.p4 -o build/gtpu            # SystemVerilog and a report
//     hardpath synth programs/p4/gtpu.p4                            # area and depth
//
// Between base stations and this gateway 36 bytes more stand in front of a user's packet, and 8 more where a container tells the flow:
//
//     Ethernet | IPv4 | UDP, port 2152 | GTP, with the tunnel | [sequence, container] | IPv4 of the user | ...
//
// Tunnels find their session by number (`uplink`), users by address (`downlink`). Each direction of a session has a counter and a meter of
// two rates (RFC 2698): what is over the higher one is dropped, what is over the lower one is marked as of lower effort (RFC 8622). A user
// can send from his own address alone.
//
// A user's header gets a new checksum by what has changed in it, so one that was wrong stays wrong. What is for the gateway itself and no
// packet of a session goes to the control plane: ARP, echo requests, tunnels that nobody knows, of which it tells the other end.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<32> tunnel_t;
// The flow of quality in a session (QFI).
typedef bit<6> flow_t;
typedef bit<2> colour_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_GTP = 2152;
// TS 29.281, section 6.1: a packet of a user.
const bit<8> GTP_PACKET = 255;
// Section 5.2.1: what TS 38.415 describes.
const bit<8> CONTAINER = 0x85;
// The bytes of headers: of IPv4 without options, of UDP, of GTP, of the two words that it may have behind it.
const bit<16> IPV4 = 20;
const bit<16> UDP = 8;
const bit<16> GTP = 8;
const bit<16> WORD = 4;
// The longest packet of a user that fits where base stations are: there IPv4 packets have up to 1,600 bytes. Nothing is cut into
// fragments here.
const bit<16> LONGEST = 1556;
const bit<32> ETHERNET = 14;
const bit<6> LOWER_EFFORT = 1;
const colour_t YELLOW = 1;
const colour_t RED = 2;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

// RFC 791, section 3.1, with RFC 2474 and 3168 about the service.
header ipv4_h {
    bit<4> version;
    bit<4> header_words;
    bit<6> service;
    bit<2> congestion;
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

// TS 29.281, section 5.1: `length` is of what comes behind.
header gtp_t {
    bit<3> version;
    bit<1> is_gtp;
    bit<1> reserved;
    bit<1> has_extension;
    bit<1> has_sequence;
    bit<1> has_number;
    bit<8> type;
    bit<16> length;
    tunnel_t tunnel;
}

// There when one of the three flags is set; each part means something when its own flag is.
header gtp_more_t {
    bit<16> sequence;
    bit<8> number;
    bit<8> extension;
}

// TS 38.415, section 5.5.2, in its short form: one word.
header container_t {
    bit<8> words;
    bit<4> type;
    bit<4> flags_0;
    bit<2> flags_1;
    flow_t flow;
    bit<8> extension;
}

struct headers_t {
    ethernet_t ethernet;
    // What is put in front.
    ipv4_h outer_ipv4;
    udp_t outer_udp;
    gtp_t outer_gtp;
    gtp_more_t outer_more;
    container_t outer_container;
    // As the packet came in.
    ipv4_h ipv4;
    udp_t udp;
    gtp_t gtp;
    gtp_more_t more;
    container_t container;
    ipv4_h inner;
}

struct metadata_t {}

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
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(
            hdr.ipv4.version,
            hdr.ipv4.header_words,
            hdr.ipv4.flags,
            hdr.ipv4.fragment,
            hdr.ipv4.protocol
        ) {
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP): udp;
            default: accept;
        }
    }
    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.dst) {
            PORT_GTP: gtp;
            default: accept;
        }
    }
    state gtp {
        packet.extract(hdr.gtp);
        transition select(
            hdr.gtp.version,
            hdr.gtp.is_gtp,
            hdr.gtp.type,
            hdr.gtp.has_extension,
            hdr.gtp.has_sequence,
            hdr.gtp.has_number
        ) {
            (1, 1, GTP_PACKET, 0, 0, 0): inner;
            (1, 1, GTP_PACKET, _, _, _): more;
            default: accept;
        }
    }
    state more {
        packet.extract(hdr.more);
        transition select(hdr.gtp.has_extension, hdr.more.extension) {
            (0, _): inner;
            (1, 0): inner;
            (1, CONTAINER): container;
            default: accept;
        }
    }
    state container {
        packet.extract(hdr.container);
        transition select(hdr.container.words, hdr.container.extension) {
            (1, 0): inner;
            default: accept;
        }
    }
    state inner {
        packet.extract(hdr.inner);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.gtp.isValid(),
            {
                hdr.ipv4.version,
                hdr.ipv4.header_words,
                hdr.ipv4.service,
                hdr.ipv4.congestion,
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
    direct_counter(CounterType.packets_and_bytes) sent_up;
    direct_counter(CounterType.packets_and_bytes) sent_down;
    direct_meter<colour_t>(MeterType.bytes) rate_up;
    direct_meter<colour_t>(MeterType.bytes) rate_down;
    bool from_stations = false;
    bool from_network = false;
    ipv4_t own_address = 0;
    mac_t own_mac = 0;
    port_t control_port = 0;
    bool is_up = false;
    bool is_down = false;
    bool is_lost = false;
    colour_t colour = 0;

    action drop() {
        mark_to_drop(std);
    }

    // What is behind a port; with one port alone, it may be both.
    action side(bit<1> stations, bit<1> network) {
        from_stations = stations == 1;
        from_network = network == 1;
    }

    table ports {
        key = {
            std.ingress_port: exact;
        }
        actions = {
            side;
            drop;
        }
        default_action = drop();
        size = 64;
    }

    // This gateway's end of all tunnels, and where its control plane is.
    action end(ipv4_t address, mac_t mac, port_t control_plane) {
        own_address = address;
        own_mac = mac;
        control_port = control_plane;
    }

    // Has a default action and no entries.
    table own {
        actions = {
            end;
            drop;
        }
        default_action = drop();
    }

    action to_control() {
        std.egress_spec = control_port;
    }

    action to_network(ipv4_t user, port_t port, mac_t next_hop) {
        rate_up.read(colour);
        is_up = true;
        is_lost = hdr.inner.src != user;
        std.egress_spec = port;
        hdr.ethernet.dst = next_hop;
    }

    table uplink {
        key = {
            hdr.gtp.tunnel: exact;
        }
        actions = {
            to_network;
            to_control;
            drop;
        }
        default_action = to_control();
        counters = sent_up;
        meters = rate_up;
        size = 1024;
    }

    action to_station(tunnel_t tunnel, ipv4_t station, port_t port, mac_t next_hop) {
        rate_down.read(colour);
        is_down = true;
        std.egress_spec = port;
        hdr.ethernet.dst = next_hop;
        hdr.outer_ipv4.setValid();
        hdr.outer_ipv4.dst = station;
        hdr.outer_gtp.setValid();
        hdr.outer_gtp.tunnel = tunnel;
    }

    action to_station_in_flow(
        tunnel_t tunnel,
        ipv4_t station,
        port_t port,
        mac_t next_hop,
        flow_t flow
    ) {
        to_station(tunnel, station, port, next_hop);
        hdr.outer_more.setValid();
        hdr.outer_more = { 0, 0, CONTAINER };
        hdr.outer_container.setValid();
        hdr.outer_container = { 1, 0, 0, 0, flow, 0 };
    }

    table downlink {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            to_station;
            to_station_in_flow;
            drop;
        }
        default_action = drop();
        counters = sent_down;
        meters = rate_down;
        size = 1024;
    }

    // What was in the tunnel is the packet, with what routers on the way have said of congestion (RFC 6040, section 4.2).
    action unwrap() {
        if (hdr.ipv4.congestion == 3) {
            is_lost = is_lost || hdr.inner.congestion == 0;
            hdr.inner.congestion = 3;
        } else if (hdr.ipv4.congestion == 1 && hdr.inner.congestion == 2) {
            hdr.inner.congestion = 1;
        }
        hdr.ipv4 = hdr.inner;
        hdr.udp.setInvalid();
        hdr.gtp.setInvalid();
        hdr.more.setInvalid();
        hdr.container.setInvalid();
        hdr.inner.setInvalid();
    }

    action wrap() {
        bit<16> length = hdr.ipv4.length;
        if (hdr.outer_more.isValid()) {
            length = length + 2 * WORD;
        }
        hdr.outer_ipv4.version = 4;
        hdr.outer_ipv4.header_words = 5;
        hdr.outer_ipv4.service = hdr.ipv4.service;
        hdr.outer_ipv4.congestion = hdr.ipv4.congestion;
        hdr.outer_ipv4.length = length + IPV4 + UDP + GTP;
        // A packet that is no fragment and is not to become one needs no number (RFC 6864).
        hdr.outer_ipv4.identification = 0;
        hdr.outer_ipv4.flags = 0b010;
        hdr.outer_ipv4.fragment = 0;
        hdr.outer_ipv4.ttl = 64;
        hdr.outer_ipv4.protocol = PROTOCOL_UDP;
        hdr.outer_ipv4.src = own_address;
        hdr.outer_udp.setValid();
        hdr.outer_udp = { PORT_GTP, PORT_GTP, length + UDP + GTP, 0 };
        hdr.outer_gtp.version = 1;
        hdr.outer_gtp.is_gtp = 1;
        hdr.outer_gtp.reserved = 0;
        hdr.outer_gtp.has_extension = (bit<1>)hdr.outer_more.isValid();
        hdr.outer_gtp.has_sequence = 0;
        hdr.outer_gtp.has_number = 0;
        hdr.outer_gtp.type = GTP_PACKET;
        hdr.outer_gtp.length = length;
    }

    // As a router does. What changes are the first word of the header and that with the lifetime; the sum of what goes and what comes is
    // one in ones' complement (RFC 1624, equation 3).
    action forward(in bit<6> service_in, in bit<2> congestion_in) {
        bit<16> first = hdr.ipv4.version ++ hdr.ipv4.header_words ++ service_in ++ congestion_in;
        bit<20> sum = (bit<20>)(~hdr.ipv4.checksum)
            + (bit<20>)(~first)
            + (bit<20>)(
                hdr.ipv4.version
                    ++ hdr.ipv4.header_words
                    ++ hdr.ipv4.service
                    ++ hdr.ipv4.congestion)
            + (bit<20>)(~(hdr.ipv4.ttl ++ hdr.ipv4.protocol))
            + (bit<20>)((hdr.ipv4.ttl - 1) ++ hdr.ipv4.protocol);
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        hdr.ipv4.checksum = ~sum[15:0];
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    apply {
        ports.apply();
        own.apply();
        bool is_for_gateway = hdr.ethernet.dst == own_mac;
        // Shorter than it says: something has been cut.
        bool is_cut = std.packet_length < (bit<32>)hdr.ipv4.length + ETHERNET;
        bit<16> in_gtp = hdr.inner.length;
        if (hdr.more.isValid()) {
            in_gtp = in_gtp + WORD;
        }
        if (hdr.container.isValid()) {
            in_gtp = in_gtp + WORD;
        }
        // A packet of a user, and the lengths say the same of it.
        bool is_packet = hdr.inner.isValid()
            && hdr.inner.version == 4
            && hdr.inner.header_words >= 5
            && hdr.inner.ttl > 1
            && hdr.gtp.length == in_gtp
            && hdr.udp.length == in_gtp + GTP + UDP
            && hdr.ipv4.length == in_gtp + GTP + UDP + IPV4;

        if (!(from_stations || from_network) || !hdr.ethernet.isValid()) {
            drop();
        } else if (hdr.ethernet.type != TYPE_IPV4) {
            to_control();
        } else if (!hdr.ipv4.isValid() || !is_for_gateway || is_cut) {
            drop();
        } else if (hdr.ipv4.dst == own_address) {
            if (!hdr.gtp.isValid() || hdr.gtp.type != GTP_PACKET) {
                to_control();
            } else if (from_stations && std.checksum_error == 0 && is_packet) {
                uplink.apply();
            } else {
                drop();
            }
        } else if (from_network
                && hdr.ipv4.version == 4
                && hdr.ipv4.header_words >= 5
                && hdr.ipv4.ttl > 1
                && hdr.ipv4.length <= LONGEST) {
            downlink.apply();
        } else {
            drop();
        }

        bit<6> service_in = hdr.ipv4.service;
        bit<2> congestion_in = hdr.ipv4.congestion;
        if (is_up) {
            service_in = hdr.inner.service;
            congestion_in = hdr.inner.congestion;
            unwrap();
        }
        if (is_up || is_down) {
            if (colour == YELLOW) {
                hdr.ipv4.service = LOWER_EFFORT;
            }
            forward(service_in, congestion_in);
            hdr.ethernet.src = own_mac;
        }
        if (is_down) {
            wrap();
        }
        if (is_lost || colour == RED) {
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
                hdr.outer_ipv4.congestion,
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
        packet.emit(hdr.ethernet);
        packet.emit(hdr.outer_ipv4);
        packet.emit(hdr.outer_udp);
        packet.emit(hdr.outer_gtp);
        packet.emit(hdr.outer_more);
        packet.emit(hdr.outer_container);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.gtp);
        packet.emit(hdr.more);
        packet.emit(hdr.container);
        packet.emit(hdr.inner);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
