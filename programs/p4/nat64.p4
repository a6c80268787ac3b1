// A stateless NAT64: hosts that know IPv6 alone talk to those that know IPv4 alone, in both directions (RFC 7915).
//
//     hardpath stf programs/p4/nat64.p4 programs/p4/nat64.stf       # packets in, packets out
//     hardpath compile programs/p4/nat64.p4 -o build/nat64          # SystemVerilog and a report
//     hardpath synth programs/p4/nat64.p4                           # area and depth
//
// All of IPv4 is seen from IPv6 in a prefix of 96 bits (RFC 6052, section 2.2), and each host of IPv6 that takes part has an address of
// IPv4 of its own (`hosts_6` one way, `hosts_4` the other):
//
//     IPv6   host -> prefix, other     becomes     IPv4   address of the host -> other
//     IPv4   other -> address          becomes     IPv6   prefix, other -> host
//
// Translated are TCP, UDP, and requests and replies of echo; checksums change by what changes, and stay wrong where they were. Dropped is
// what RFC 7915 would have translated with more work: fragments, options, errors of ICMP, UDP without a checksum. So is what is at the end
// of its life, or too long, of which no error is told. What is not for the prefix nor for an address of a host, as neighbour discovery
// and ARP, goes to the host that this is a card of, whatever it is.
#include <core.p4>
#include <hardpath_nic.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<128> ipv6_t;
typedef bit<96> prefix_t;
typedef bit<32> interface_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_IPV6 = 0x86dd;
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<8> PROTOCOL_ICMPV6 = 58;
// RFC 792 and RFC 4443.
const bit<8> ECHO_REPLY_4 = 0;
const bit<8> ECHO_REQUEST_4 = 8;
const bit<8> ECHO_REQUEST_6 = 128;
const bit<8> ECHO_REPLY_6 = 129;
// Of the header of IPv4; that of IPv6 has 20 bytes more.
const bit<16> HEADER_4 = 20;
// The longest packet of IPv4 that fits an Ethernet frame as IPv6.
const bit<16> LONGEST_4 = 1480;
// Behind the header of IPv6: up to here a packet may be cut into fragments later (section 5.1).
const bit<16> MAY_BE_CUT = 1240;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
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

// RFC 9293, section 3.1, without options.
header tcp_t {
    bit<16> src;
    bit<16> dst;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<16> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

// RFC 768.
header udp_t {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}

// What ICMP and ICMPv6 begin with.
header icmp_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

struct headers_t {
    ethernet_t ethernet;
    ipv6_h ipv6;
    ipv4_h ipv4;
    tcp_t tcp;
    udp_t udp;
    icmp_t icmp;
}

struct metadata_t {}

// Headers behind that of IPv6, and options and fragments of IPv4, are not looked into: such packets end with the address.
parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    in nic_parser_input_metadata_t istd
) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV6: ipv6;
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.version, hdr.ipv6.protocol) {
            (6, PROTOCOL_TCP): tcp;
            (6, PROTOCOL_UDP): udp;
            (6, PROTOCOL_ICMPV6): icmp;
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
            (4, 5, 0 &&& 1, 0, PROTOCOL_TCP): tcp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP): udp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_ICMP): icmp;
            default: accept;
        }
    }
    state tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
    state icmp {
        packet.extract(hdr.icmp);
        transition accept;
    }
}

enum bit<3> event_t {
    // Not counted.
    TO_HOST = 0,
    TO_IPV4 = 1,
    TO_IPV6 = 2,
    // A host without an address, or a destination without a route.
    UNKNOWN = 3,
    // Fragments, options, other protocols, other types of ICMP, UDP without a checksum.
    NOT_TRANSLATED = 4,
    EXPIRED = 5,
    TOO_LONG = 6,
    // A wrong checksum of IPv4, lengths that do not fit, or cut.
    BROKEN = 7
}

control Process(
    inout headers_t hdr,
    inout metadata_t meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd
) {
    // The number of the last packet of IPv4 that may be cut into fragments.
    Register<bit<16>, bit<1>>(1) identifications;
    // By event_t.
    Counter<bit<64>, bit<3>>(8, NicCounterType_t.PACKETS) events;
    InternetChecksum() ipv4_sum;
    InternetChecksum() sum;

    bool is_on = false;
    bool is_prefix = false;
    prefix_t own_prefix = 0;
    event_t event = event_t.TO_HOST;
    ipv4_t address_4 = 0;
    ipv6_t address_6 = 0;
    // Of TCP, UDP or ICMP with all that is behind; 0 where it is neither of them.
    bit<16> length = 0;

    action translate(prefix_t prefix) {
        is_on = true;
        is_prefix = hdr.ipv6.dst[127:32] == prefix;
        own_prefix = prefix;
    }

    action off() {}

    // Has a default action and no entries.
    table own {
        actions = {
            translate;
            off;
        }
        default_action = off();
    }

    action send(interface_t to, mac_t src, mac_t dst) {
        hdr.ethernet.src = src;
        hdr.ethernet.dst = dst;
        nic_redirect(ostd, to);
    }

    // How a host of IPv6 is called in IPv4.
    action is_called(ipv4_t address) {
        address_4 = address;
    }

    action unknown() {
        event = event_t.UNKNOWN;
    }

    table hosts_6 {
        key = {
            hdr.ipv6.src: exact;
        }
        actions = {
            is_called;
            unknown;
        }
        default_action = unknown();
        size = 1024;
    }

    table routes_4 {
        key = {
            hdr.ipv6.dst[31:0]: lpm @name("dst");
        }
        actions = {
            send;
            unknown;
        }
        default_action = unknown();
        size = 256;
    }

    // Whom an address of IPv4 stands for, and the way there.
    action stands_for(ipv6_t address, interface_t to, mac_t src, mac_t dst) {
        address_6 = address;
        send(to, src, dst);
    }

    action to_host() {}

    table hosts_4 {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            stands_for;
            to_host;
        }
        default_action = to_host();
        size = 1024;
    }

    // Of the checksum as it came, without what is left behind.
    action before() {
        if (hdr.tcp.isValid()) {
            sum.set_state(~hdr.tcp.checksum);
        } else if (hdr.udp.isValid()) {
            sum.set_state(~hdr.udp.checksum);
        } else {
            sum.set_state(~hdr.icmp.checksum);
            sum.subtract({ hdr.icmp.type, hdr.icmp.code });
        }
    }

    // With what is new. In UDP 0 would be none.
    action behind() {
        if (hdr.icmp.isValid()) {
            sum.add({ hdr.icmp.type, hdr.icmp.code });
        }
        bit<16> checksum = sum.get();
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = checksum;
        } else if (hdr.udp.isValid()) {
            hdr.udp.checksum = checksum == 0 ? 16w0xffff : checksum;
        } else {
            hdr.icmp.checksum = checksum;
        }
    }

    // Section 5.1. ICMPv6 counts addresses, length and protocol in its checksum (RFC 4443, section 2.3), ICMP does not.
    action to_ipv4() {
        bool is_icmp = hdr.icmp.isValid();
        before();
        sum.subtract({ hdr.ipv6.src, hdr.ipv6.dst });
        if (is_icmp) {
            sum.subtract({ hdr.ipv6.length, 8w0, PROTOCOL_ICMPV6 });
            hdr.icmp.type = hdr.icmp.type == ECHO_REQUEST_6 ? ECHO_REQUEST_4 : ECHO_REPLY_4;
        }

        bool may_be_cut = hdr.ipv6.length <= MAY_BE_CUT;
        bit<16> number = 0;
        if (may_be_cut) {
            number = identifications.read(0) + 1;
            identifications.write(0, number);
        }

        hdr.ethernet.type = TYPE_IPV4;
        hdr.ipv4.setValid();
        hdr.ipv4.version = 4;
        hdr.ipv4.header_words = 5;
        hdr.ipv4.service = hdr.ipv6.service;
        hdr.ipv4.length = hdr.ipv6.length + HEADER_4;
        hdr.ipv4.identification = number;
        hdr.ipv4.flags = may_be_cut ? 3w0b000 : 3w0b010;
        hdr.ipv4.fragment = 0;
        hdr.ipv4.ttl = hdr.ipv6.ttl - 1;
        hdr.ipv4.protocol = is_icmp ? PROTOCOL_ICMP : hdr.ipv6.protocol;
        hdr.ipv4.checksum = 0;
        hdr.ipv4.src = address_4;
        hdr.ipv4.dst = hdr.ipv6.dst[31:0];
        hdr.ipv6.setInvalid();
        ipv4_sum.clear();
        ipv4_sum.add(hdr.ipv4);
        hdr.ipv4.checksum = ipv4_sum.get();

        if (!is_icmp) {
            sum.add({ hdr.ipv4.src, hdr.ipv4.dst });
        }
        behind();
    }

    // Section 4.1.
    action to_ipv6() {
        bool is_icmp = hdr.icmp.isValid();
        before();
        if (!is_icmp) {
            sum.subtract({ hdr.ipv4.src, hdr.ipv4.dst });
        } else {
            sum.add({ length, 8w0, PROTOCOL_ICMPV6 });
            hdr.icmp.type = hdr.icmp.type == ECHO_REQUEST_4 ? ECHO_REQUEST_6 : ECHO_REPLY_6;
        }

        hdr.ethernet.type = TYPE_IPV6;
        hdr.ipv6.setValid();
        hdr.ipv6.version = 6;
        hdr.ipv6.service = hdr.ipv4.service;
        hdr.ipv6.flow = 0;
        hdr.ipv6.length = length;
        hdr.ipv6.protocol = is_icmp ? PROTOCOL_ICMPV6 : hdr.ipv4.protocol;
        hdr.ipv6.ttl = hdr.ipv4.ttl - 1;
        hdr.ipv6.src = own_prefix ++ hdr.ipv4.src;
        hdr.ipv6.dst = address_6;
        hdr.ipv4.setInvalid();

        sum.add({ hdr.ipv6.src, hdr.ipv6.dst });
        behind();
    }

    // What is the same for both directions: whether lengths fit, and what is translated at all.
    action judge(bit<8> ttl, bit<8> request, bit<8> reply, bit<16> in_front) {
        bit<16> least = hdr.tcp.isValid() ? 16w20 : 16w8;
        bool is_known = hdr.tcp.isValid()
            || (hdr.udp.isValid() && hdr.udp.checksum != 0)
            || (
                hdr.icmp.isValid()
                    && hdr.icmp.code == 0
                    && (hdr.icmp.type == request || hdr.icmp.type == reply));
        if (istd.parser_error != error.NoError) {
            event = event_t.BROKEN;
        } else if (!is_known) {
            event = event_t.NOT_TRANSLATED;
        } else if (length < least || istd.packet_length < (bit<32>)length + (bit<32>)in_front) {
            event = event_t.BROKEN;
        } else if (ttl <= 1) {
            event = event_t.EXPIRED;
        }
    }

    apply {
        own.apply();
        if (hdr.ipv6.isValid() && is_prefix) {
            event = event_t.TO_IPV4;
            hosts_6.apply();
            routes_4.apply();
            length = hdr.ipv6.length;
            if (event == event_t.TO_IPV4) {
                judge(hdr.ipv6.ttl, ECHO_REQUEST_6, ECHO_REPLY_6, 54);
            }
            if (event == event_t.TO_IPV4) {
                to_ipv4();
            }
        } else if (hdr.ipv4.isValid() && is_on) {
            switch (hosts_4.apply().action_run) {
                stands_for: {
                    event = event_t.TO_IPV6;
                    length = hdr.ipv4.length - HEADER_4;
                    ipv4_sum.clear();
                    ipv4_sum.add(hdr.ipv4);
                    judge(hdr.ipv4.ttl, ECHO_REQUEST_4, ECHO_REPLY_4, 34);
                    if (event == event_t.TO_IPV6) {
                        if (ipv4_sum.get() != 0 || hdr.ipv4.length < HEADER_4) {
                            event = event_t.BROKEN;
                        } else if (hdr.ipv4.length > LONGEST_4) {
                            event = event_t.TOO_LONG;
                        } else {
                            to_ipv6();
                        }
                    }
                }
            }
        }

        if (event != event_t.TO_HOST) {
            if (event != event_t.TO_IPV4 && event != event_t.TO_IPV6) {
                nic_drop(ostd);
            }
            // In one place for all, so that a packet counts once and none waits for another.
            events.count((bit<3>)event);
        }
    }
}

control Deparse(packet_out packet, in headers_t hdr, in metadata_t meta) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
        packet.emit(hdr.icmp);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
