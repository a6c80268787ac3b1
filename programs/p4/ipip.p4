// IPv4 in IPv4: packets go into tunnels by their destination and come out of them by the tunnel's ends; congestion that was seen on the way
// is told on.
//
//     hardpath stf programs/p4/ipip.p4 programs/p4/ipip.stf         # packets in, packets out
//     hardpath compile programs/p4/ipip.p4 -o build/ipip            # SystemVerilog and a report
//     hardpath synth programs/p4/ipip.p4                            # area and depth
//
// Between the Ethernet header and the packet stands a second header while it is in a tunnel (RFC 2003):
//
//     Ethernet | IPv4, protocol 4 | IPv4, as it was | ...
//
// What a tunnel's end makes of congestion (ECN) is RFC 6040. Into the tunnel the field is copied, or is 0 for an end that does not know it.
// Out of the tunnel it is, by what was inside (left) and outside (above):
//
//               0: no ECN   1: ECT(1)   2: ECT(0)   3: congestion
//     no ECN    no ECN      no ECN      no ECN      dropped
//     ECT(1)    ECT(1)      ECT(1)      ECT(1)      congestion
//     ECT(0)    ECT(0)      ECT(1)      ECT(0)      congestion
//     cong.     congestion  congestion  congestion  congestion
//
// Both ends are routers: each takes one from the packet's lifetime, and drops what a router must not forward.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_IPV4 = 4;
// The bytes that a tunnel adds.
const bit<16> ADDED = 20;
// The longest IPv4 packet that fits an Ethernet frame. Nothing is cut into fragments here.
const bit<16> LONGEST = 1500;

// RFC 3168, section 5.
enum bit<2> congestion_t {
    NO_ECN = 0,
    ECT_1 = 1,
    ECT_0 = 2,
    CONGESTION = 3
}

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

header ipv4_options_t {
    varbit<320> data;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    ipv4_h inner;
    // Of the inner header where there are two, else of the first: one with options is not taken out of a tunnel.
    ipv4_options_t options;
}

struct metadata_t {}

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
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.NotIPv4);
        verify(hdr.ipv4.header_words >= 5, error.HeaderLengthTooSmall);
        transition select(
            hdr.ipv4.header_words,
            hdr.ipv4.protocol,
            hdr.ipv4.fragment,
            hdr.ipv4.flags
        ) {
            // All but the last fragment have the lowest flag, all but the first one an offset: neither can be taken out of a tunnel.
            (5, PROTOCOL_IPV4, 0, 0 &&& 1): inner;
            (5, _, _, _): accept;
            default: options;
        }
    }
    state options {
        packet.extract(hdr.options, ((bit<32>)hdr.ipv4.header_words - 5) * 32);
        transition accept;
    }
    state inner {
        packet.extract(hdr.inner);
        verify(hdr.inner.version == 4, error.NotIPv4);
        verify(hdr.inner.header_words >= 5, error.HeaderLengthTooSmall);
        transition select(hdr.inner.header_words) {
            5: accept;
            default: inner_options;
        }
    }
    state inner_options {
        packet.extract(hdr.options, ((bit<32>)hdr.inner.header_words - 5) * 32);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid() && !hdr.inner.isValid(),
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
                hdr.ipv4.dst,
                hdr.options.data
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
        verify_checksum(
            hdr.inner.isValid(),
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
        verify_checksum(
            hdr.inner.isValid(),
            {
                hdr.inner.version,
                hdr.inner.header_words,
                hdr.inner.service,
                hdr.inner.congestion,
                hdr.inner.length,
                hdr.inner.identification,
                hdr.inner.flags,
                hdr.inner.fragment,
                hdr.inner.ttl,
                hdr.inner.protocol,
                hdr.inner.src,
                hdr.inner.dst,
                hdr.options.data
            },
            hdr.inner.checksum,
            HashAlgorithm.csum16);
    }
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    // What came out of tunnels, by the congestion outside and inside: 4 times the first and the second.
    counter(16, CounterType.packets) congestion;

    action drop() {
        mark_to_drop(std);
    }

    action send(port_t port, mac_t src, mac_t dst) {
        std.egress_spec = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
    }

    // Out of the tunnel: what was inside is the packet.
    action take_out(port_t port, mac_t src, mac_t dst) {
        congestion.count((bit<32>)(hdr.ipv4.congestion ++ hdr.inner.congestion));
        bool is_lost = hdr.ipv4.congestion == congestion_t.CONGESTION
            && hdr.inner.congestion == congestion_t.NO_ECN;
        if (is_lost) {
            drop();
        } else {
            if (hdr.ipv4.congestion == congestion_t.CONGESTION) {
                hdr.inner.congestion = congestion_t.CONGESTION;
            } else if (hdr.ipv4.congestion == congestion_t.ECT_1
                    && hdr.inner.congestion == congestion_t.ECT_0) {
                hdr.inner.congestion = congestion_t.ECT_1;
            }
            hdr.ipv4.setInvalid();
            hdr.inner.ttl = hdr.inner.ttl - 1;
            send(port, src, dst);
        }
    }

    table ends {
        key = {
            hdr.ipv4.dst: exact;
            hdr.ipv4.src: exact;
        }
        actions = {
            take_out;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    // Into the tunnel. The order matters: the inner header is the old one, and only then is the outer one written.
    // What comes from either end is not sent into the tunnel: something is wrong with a route (section 3.2 of RFC 2003).
    action put_in(
        ipv4_t from,
        ipv4_t to,
        bit<1> knows_congestion,
        port_t port,
        mac_t src,
        mac_t dst
    ) {
        if (hdr.ipv4.src == from || hdr.ipv4.src == to) {
            drop();
        } else {
            hdr.inner = hdr.ipv4;
            hdr.inner.ttl = hdr.inner.ttl - 1;
            // Service and "don't fragment" are those of the packet that is carried.
            hdr.ipv4.header_words = 5;
            if (knows_congestion == 0) {
                hdr.ipv4.congestion = congestion_t.NO_ECN;
            }
            hdr.ipv4.length = hdr.ipv4.length + ADDED;
            hdr.ipv4.flags = hdr.ipv4.flags & 0b010;
            hdr.ipv4.fragment = 0;
            hdr.ipv4.ttl = 64;
            hdr.ipv4.protocol = PROTOCOL_IPV4;
            hdr.ipv4.src = from;
            hdr.ipv4.dst = to;
            send(port, src, dst);
        }
    }

    table tunnels {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            put_in;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    apply {
        if (std.parser_error != error.NoError || std.checksum_error == 1 || !hdr.ipv4.isValid()) {
            drop();
        } else if (hdr.inner.isValid()) {
            // A packet that is longer than what carries it is none.
            if (hdr.inner.ttl <= 1 || hdr.inner.length > hdr.ipv4.length |-| ADDED) {
                drop();
            } else {
                ends.apply();
            }
        } else if (hdr.ipv4.ttl <= 1 || hdr.ipv4.length > LONGEST - ADDED) {
            drop();
        } else {
            tunnels.apply();
        }
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
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
        update_checksum(
            hdr.inner.isValid(),
            {
                hdr.inner.version,
                hdr.inner.header_words,
                hdr.inner.service,
                hdr.inner.congestion,
                hdr.inner.length,
                hdr.inner.identification,
                hdr.inner.flags,
                hdr.inner.fragment,
                hdr.inner.ttl,
                hdr.inner.protocol,
                hdr.inner.src,
                hdr.inner.dst,
                hdr.options.data
            },
            hdr.inner.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.inner);
        packet.emit(hdr.options);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
