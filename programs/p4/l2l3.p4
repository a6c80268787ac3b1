// A switch that routes: Ethernet by destination address, IPv4 by longest prefix.
//
//     hardpath stf programs/p4/l2l3.p4 programs/p4/l2l3.stf         # packets in, packets out
//     hardpath compile programs/p4/l2l3.p4 -o build/l2l3            # SystemVerilog and a report
//     hardpath synth programs/p4/l2l3.p4                            # area and depth
//
// A packet goes through up to three tables:
//
//     dmac (exact)  --forward-->  out of a port as it is
//                   --route---->  routes (longest prefix)  --via-->  next_hops (exact)  --send-->  out, rewritten
//
// What no table knows is dropped, and so is what a router must not forward: packets that are cut, wrong checksums and lifetimes that
// are used up (RFC 1812, sections 5.2.2 and 5.3.1).
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_VLAN = 0x8100;
const bit<16> TYPE_SERVICE_VLAN = 0x88a8;

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

// Up to ten words; a header of its own, so that only packets with options have them.
header ipv4_options_t {
    varbit<320> data;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t[2] vlan;
    ipv4_h ipv4;
    ipv4_options_t options;
}

struct metadata_t {
    next_hop_t next_hop;
    // The header has changed: a wrong checksum of a packet that is only bridged stays wrong.
    bool routed;
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
            TYPE_SERVICE_VLAN: vlan;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    // One tag or two: what would be the third ends the parser with an error, because the stack is full.
    state vlan {
        packet.extract(hdr.vlan.next);
        transition select(hdr.vlan.last.type) {
            TYPE_VLAN: vlan;
            TYPE_SERVICE_VLAN: vlan;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4, error.NotIPv4);
        verify(hdr.ipv4.header_words >= 5, error.HeaderLengthTooSmall);
        transition select(hdr.ipv4.header_words) {
            5: accept;
            default: options;
        }
    }
    state options {
        packet.extract(hdr.options, ((bit<32>)hdr.ipv4.header_words - 5) * 32);
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

    action forward(port_t port) {
        std.egress_spec = port;
    }

    // The address is the switch's own: the packet is for the router in it.
    action route() {}

    table dmac {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            route;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    action via(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            via;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    action send(port_t port, mac_t src, mac_t dst) {
        std.egress_spec = port;
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        meta.routed = true;
    }

    table next_hops {
        key = {
            meta.next_hop: exact;
        }
        actions = {
            send;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    apply {
        // v1model hands on what the parser refused: the program says what becomes of it.
        if (std.parser_error != error.NoError) {
            drop();
        } else {
            switch (dmac.apply().action_run) {
                route: {
                    if (!hdr.ipv4.isValid() || std.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
                        drop();
                    } else {
                        switch (routes.apply().action_run) {
                            via: {
                                next_hops.apply();
                            }
                        }
                    }
                }
            }
        }
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            meta.routed,
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

// Headers that are not valid leave nothing.
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
