// Tunnels of IPv4 in GRE, with keys: packets go in by their destination, and come out by the tunnel's end and its key.
//
//     hardpath stf programs/p4/tunnel.p4 programs/p4/tunnel.stf     # packets in, packets out
//     hardpath compile programs/p4/tunnel.p4 -o build/tunnel        # SystemVerilog and a report
//     hardpath synth programs/p4/tunnel.p4                          # area and depth
//
// Between the Ethernet header and the packet stand 28 bytes more while it is in a tunnel (RFC 2784 and 2890):
//
//     Ethernet | IPv4, protocol 47 | GRE, with a key | key | IPv4, as it was | ...
//
// What comes in at a tunnel's end is taken out; all else is looked up as what may go in; what neither table knows is dropped.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<32> key_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_GRE = 47;
// The bytes that a tunnel adds: IPv4 20, GRE 4, key 4.
const bit<16> ADDED = 28;
// The longest IPv4 packet that fits an Ethernet frame. Nothing is cut into fragments here.
const bit<16> LONGEST = 1500;

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

// RFC 2784, section 2, with the two bits that RFC 2890 took from what is reserved.
header gre_t {
    bit<1> has_checksum;
    bit<1> reserved_0;
    bit<1> has_key;
    bit<1> has_sequence;
    bit<9> reserved_1;
    bit<3> version;
    bit<16> type;
}

header gre_key_t {
    key_t key;
}

// Of a packet that may go into a tunnel; those of a packet that is in one are payload.
header ipv4_options_t {
    varbit<320> data;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    gre_t gre;
    gre_key_t gre_key;
    ipv4_h inner;
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
            (5, PROTOCOL_GRE, 0, 0 &&& 1): gre;
            (5, _, _, _): accept;
            default: options;
        }
    }
    state options {
        packet.extract(hdr.options, ((bit<32>)hdr.ipv4.header_words - 5) * 32);
        transition accept;
    }
    state gre {
        packet.extract(hdr.gre);
        transition select(
            hdr.gre.has_checksum,
            hdr.gre.has_key,
            hdr.gre.has_sequence,
            hdr.gre.version,
            hdr.gre.type
        ) {
            (0, 1, 0, 0, TYPE_IPV4): gre_key;
            default: accept;
        }
    }
    state gre_key {
        packet.extract(hdr.gre_key);
        packet.extract(hdr.inner);
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
    action drop() {
        mark_to_drop(std);
    }

    action send(port_t port, mac_t src, mac_t dst) {
        std.egress_spec = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
    }

    // One less to live. Options that were not extracted count in the checksum as well, so it is not made anew: RFC 1624, equation 4,
    // with the words 0x0100 lower than they were. The borrow goes round.
    action age() {
        bit<17> sum = (1w0 ++ hdr.inner.checksum) - 0xfeff;
        hdr.inner.checksum = sum[15:0] - (15w0 ++ sum[16:16]);
        hdr.inner.ttl = hdr.inner.ttl - 1;
    }

    // Out of the tunnel: what was inside is the packet.
    action take_out(port_t port, mac_t src, mac_t dst) {
        hdr.ipv4.setInvalid();
        hdr.gre.setInvalid();
        hdr.gre_key.setInvalid();
        age();
        send(port, src, dst);
    }

    table ends {
        key = {
            hdr.ipv4.dst: exact;
            hdr.gre_key.key: exact;
        }
        actions = {
            take_out;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    // Into the tunnel. The order matters: the inner header is the old one, and only then is the outer one written.
    action put_in(ipv4_t from, ipv4_t to, key_t key, port_t port, mac_t src, mac_t dst) {
        hdr.inner = hdr.ipv4;
        age();
        // Service and "don't fragment" are those of the packet that is carried (RFC 2003, section 3.1).
        hdr.ipv4.header_words = 5;
        hdr.ipv4.length = hdr.ipv4.length + ADDED;
        hdr.ipv4.flags = hdr.ipv4.flags & 0b010;
        hdr.ipv4.fragment = 0;
        hdr.ipv4.ttl = 64;
        hdr.ipv4.protocol = PROTOCOL_GRE;
        hdr.ipv4.src = from;
        hdr.ipv4.dst = to;
        hdr.gre.setValid();
        hdr.gre = { 0, 0, 1, 0, 0, 0, TYPE_IPV4 };
        hdr.gre_key.setValid();
        hdr.gre_key.key = key;
        send(port, src, dst);
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
            if (hdr.inner.ttl <= 1) {
                drop();
            } else {
                ends.apply();
            }
        } else if (hdr.gre.isValid() || hdr.ipv4.ttl <= 1 || hdr.ipv4.length > LONGEST - ADDED) {
            // GRE of another kind, a packet at the end of its life, or one that is too long for the tunnel.
            drop();
        } else {
            tunnels.apply();
        }
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

// The outer header has no options; the inner one keeps its sum (`age`).
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
                hdr.ipv4.dst
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.gre);
        packet.emit(hdr.gre_key);
        packet.emit(hdr.inner);
        packet.emit(hdr.options);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
