// A stateful firewall: what is inside opens flows, and from outside only packets of open flows come in.
//
//     hardpath stf programs/p4/firewall.p4 programs/p4/firewall.stf # packets in, packets out
//     hardpath compile programs/p4/firewall.p4 -o build/firewall    # SystemVerilog and a report
//     hardpath synth programs/p4/firewall.p4                        # area and depth
//
// Flows are kept in a Bloom filter: two registers of one bit a cell, each with a hash of its own. A packet that goes out sets one cell in
// either; a packet that comes in must find both of them set, at the hashes of its flow seen from inside. A flow that was opened is always
// let in; one that was not is let in by mistake when others have set both of its cells: of 4,096 cells, after 400 flows, one in about 115.
// Nothing is ever forgotten; a control plane writes zeros to the registers now and then (`register_reset`).
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
// A cell of the filter; its width and the number of cells belong together.
typedef bit<12> cell_t;

const bit<32> CELLS = 4096;
const bit<16> TYPE_IPV4 = 0x0800;
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

// What TCP (RFC 9293) and UDP (RFC 768) begin with.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    ipv4_options_t options;
    ports_t ports;
}

// The flow of a packet, as the host inside sees it.
struct flow_t {
    ipv4_t own;
    ipv4_t other;
    bit<16> own_port;
    bit<16> other_port;
    bit<8> protocol;
}

struct metadata_t {
    flow_t flow;
    bool inside;
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
    // Fragments but for the first one have no ports, and so no flow.
    state protocol {
        transition select(hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): ports;
            (0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

// Packets go on as they came: nothing is checked that the hosts do not check themselves.
control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<1>>(CELLS) filter_a;
    register<bit<1>>(CELLS) filter_b;

    action drop() {
        mark_to_drop(std);
    }

    action inside() {
        meta.inside = true;
    }

    action outside() {
        meta.inside = false;
    }

    // Part of the program: no control plane has to say, or may change, what is inside.
    table sides {
        key = {
            std.ingress_port: exact;
        }
        actions = {
            inside;
            outside;
        }
        const entries = {
            1: inside();
            2: inside();
            3: inside();
        }
        const default_action = outside();
    }

    action send(port_t port) {
        std.egress_spec = port;
    }

    table hosts {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            send;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    apply {
        if (std.parser_error != error.NoError || !hdr.ports.isValid()) {
            drop();
        } else {
            sides.apply();
            meta.flow.protocol = hdr.ipv4.protocol;
            if (meta.inside) {
                meta.flow.own = hdr.ipv4.src;
                meta.flow.other = hdr.ipv4.dst;
                meta.flow.own_port = hdr.ports.src;
                meta.flow.other_port = hdr.ports.dst;
            } else {
                meta.flow.own = hdr.ipv4.dst;
                meta.flow.other = hdr.ipv4.src;
                meta.flow.own_port = hdr.ports.dst;
                meta.flow.other_port = hdr.ports.src;
            }

            cell_t a;
            cell_t b;
            hash(a, HashAlgorithm.crc16, 12w0, meta.flow, CELLS);
            hash(b, HashAlgorithm.crc32, 12w0, meta.flow, CELLS);

            bool open = true;
            if (meta.inside) {
                filter_a.write((bit<32>)a, 1);
                filter_b.write((bit<32>)b, 1);
            } else {
                bit<1> seen_a;
                bit<1> seen_b;
                filter_a.read(seen_a, (bit<32>)a);
                filter_b.read(seen_b, (bit<32>)b);
                open = seen_a == 1 && seen_b == 1;
            }

            if (open) {
                hosts.apply();
            } else {
                drop();
            }
        }
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
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ports);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
