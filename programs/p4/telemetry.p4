// Telemetry in the packets themselves: switches on the way write down when and where a packet came through, and the last one takes it out.
//
//     hardpath stf programs/p4/telemetry.p4 programs/p4/telemetry.stf # packets in, packets out
//     hardpath compile programs/p4/telemetry.p4 -o build/telemetry    # SystemVerilog and a report
//     hardpath synth programs/p4/telemetry.p4                         # area and depth
//
// In the manner of INT-MD of P4.org, in a form of its own, with one set of instructions: switch, interfaces, time of arrival in ns. Packets
// that carry it have a DSCP of their own; what they had before stands in the shim. The newest record is the first:
//
//     Ethernet | IPv4 | UDP | shim, 4 | header, 8 | record, 16 | record, 16 | ... | payload
//
//     from a host     `watched` says of which flows: shim, header and a record are put in (source)
//     from a switch   a record is put in front (transit), or all of it is taken out where the packet is delivered (sink)
//     from a tap      the whole packet goes to the collector, in a report with a number
//
// Nothing is copied here: who wants reports of delivered packets mirrors them, in front of the sink, to a tap. A packet that has no hop
// left, or would be longer than 1,500 bytes, goes on with a flag that says so. Both checksums are changed by what is changed, and stay
// wrong where they were.
#include <core.p4>
#include <hardpath_nic.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<32> interface_t;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// The mark of packets with telemetry (DSCP).
const bit<6> MARKED = 0x17;
const bit<16> LONGEST = 1500;
// Records that fit, and bytes of one; bytes of shim and header.
const int RECORDS = 6;
const bit<16> RECORD = 16;
const bit<16> FRONT = 12;
// The same in words of four bytes, as the shim counts.
const bit<8> RECORD_WORDS = 4;
const bit<8> FRONT_WORDS = 3;
// Instructions: node (bit 0), level 1 interfaces (1), ingress time (4).
const bit<16> INSTRUCTIONS = 0xc800;
// Bytes in front of a packet in a report: IPv4, UDP, its own.
const bit<16> IN_UDP = 24;
const bit<16> IN_IPV4 = 44;

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

// `words` are those of shim, header and records; type 1 says that switches write into the packet itself.
header shim_t {
    bit<8> type;
    bit<8> reserved_0;
    bit<8> words;
    bit<6> service;
    bit<2> reserved_1;
}

header telemetry_t {
    bit<4> version;
    bit<2> reserved_0;
    bit<1> discard;
    // No hop was left.
    bit<1> is_exceeded;
    // The packet would have been too long.
    bit<1> is_too_long;
    bit<10> reserved_1;
    // Of one record.
    bit<5> words;
    bit<8> hops_left;
    bit<16> instructions;
    bit<16> domain;
}

header record_t {
    bit<32> node;
    bit<16> ingress;
    bit<16> egress;
    bit<64> time;
}

// In front of a packet that is reported.
header report_t {
    bit<32> node;
    bit<32> number;
    bit<64> time;
}

struct headers_t {
    ethernet_t report_ethernet;
    ipv4_h report_ipv4;
    udp_t report_udp;
    report_t report;
    ethernet_t ethernet;
    ipv4_h ipv4;
    udp_t udp;
    shim_t shim;
    telemetry_t telemetry;
    record_t[RECORDS] records;
}

struct metadata_t {
    // Words of records that the parser has not come to.
    bit<8> left;
}

error {
    OtherTelemetry
}

parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    in nic_parser_input_metadata_t istd
) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    // With options or in fragments there is no telemetry.
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
        transition select(hdr.ipv4.service) {
            MARKED: shim;
            default: accept;
        }
    }
    state shim {
        packet.extract(hdr.shim);
        packet.extract(hdr.telemetry);
        meta.left = hdr.shim.words - FRONT_WORDS;
        verify(hdr.shim.type == 1, error.OtherTelemetry);
        verify(hdr.shim.words >= FRONT_WORDS && meta.left[1:0] == 0, error.OtherTelemetry);
        verify(hdr.telemetry.version == 2, error.OtherTelemetry);
        verify(hdr.telemetry.words == 4, error.OtherTelemetry);
        verify(hdr.telemetry.instructions == INSTRUCTIONS, error.OtherTelemetry);
        transition records;
    }
    // More records than the stack has elements: the parser ends with an error.
    state records {
        transition select(meta.left) {
            0: accept;
            default: record;
        }
    }
    state record {
        packet.extract(hdr.records.next);
        meta.left = meta.left - RECORD_WORDS;
        transition records;
    }
}

enum bit<3> event_t {
    NONE = 0,
    STARTED = 1,
    RECORDED = 2,
    EXCEEDED = 3,
    TOO_LONG = 4,
    TAKEN_OUT = 5,
    REPORTED = 6,
    // With telemetry from a host, or with one that is not understood.
    REFUSED = 7
}

enum bit<2> from_t {
    NOWHERE = 0,
    HOST = 1,
    SWITCH = 2,
    TAP = 3
}

control Process(
    inout headers_t hdr,
    inout metadata_t meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd
) {
    Register<bit<32>, bit<1>>(1) reports;
    // By event_t.
    Counter<bit<64>, bit<3>>(8, NicCounterType_t.PACKETS) events;
    InternetChecksum() ipv4_sum;
    InternetChecksum() udp_sum;

    bit<32> node = 0;
    from_t from = from_t.NOWHERE;
    bool is_delivered = false;
    event_t event = event_t.NONE;
    // Bytes, modulo 2^16.
    bit<16> added = 0;

    action drop() {
        nic_drop(ostd);
    }

    action refuse() {
        event = event_t.REFUSED;
        nic_drop(ostd);
    }

    action identify(bit<32> number) {
        node = number;
    }

    // Has a default action and no entries.
    table own {
        actions = {
            identify;
        }
        default_action = identify(0);
    }

    action from_host() {
        from = from_t.HOST;
    }

    action from_switch() {
        from = from_t.SWITCH;
    }

    // A report takes all that is here.
    action from_tap(
        interface_t to,
        mac_t src_mac,
        mac_t dst_mac,
        ipv4_t src,
        ipv4_t dst,
        bit<16> port
    ) {
        from = from_t.TAP;
        hdr.report_ethernet.setValid();
        hdr.report_ethernet = { dst_mac, src_mac, TYPE_IPV4 };
        hdr.report_ipv4.setValid();
        hdr.report_ipv4.src = src;
        hdr.report_ipv4.dst = dst;
        hdr.report_udp.setValid();
        hdr.report_udp.src = port;
        hdr.report_udp.dst = port;
        nic_redirect(ostd, to);
    }

    table interfaces {
        key = {
            istd.ingress_interface: exact;
        }
        actions = {
            from_host;
            from_switch;
            from_tap;
            drop;
        }
        default_action = drop();
        size = 16;
    }

    action forward(interface_t to) {
        nic_redirect(ostd, to);
    }

    // The last switch: behind the interface is the host.
    action deliver(interface_t to) {
        is_delivered = true;
        nic_redirect(ostd, to);
    }

    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            deliver;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    // Shim and header, without records yet; a packet that would be too long with one stays as it is.
    action start(bit<8> hops) {
        if (hdr.ipv4.length > LONGEST - FRONT - RECORD) {
            event = event_t.TOO_LONG;
        } else {
            event = event_t.STARTED;
            added = FRONT;
            hdr.shim.setValid();
            hdr.shim = { 1, 0, FRONT_WORDS, hdr.ipv4.service, 0 };
            hdr.telemetry.setValid();
            hdr.telemetry = { 2, 0, 0, 0, 0, 0, 4, hops, INSTRUCTIONS, 0 };
            hdr.ipv4.service = MARKED;
        }
    }

    action skip() {}

    // Flows of hosts that get telemetry, and up to how many records.
    table watched {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.dst: ternary;
            hdr.udp.dst: ternary;
        }
        actions = {
            start;
            skip;
        }
        default_action = skip();
        size = 32;
    }

    // The record of this switch, or a flag that says why there is none.
    action record() {
        if (hdr.telemetry.hops_left == 0 || hdr.records[RECORDS - 1].isValid()) {
            event = event_t.EXCEEDED;
            hdr.telemetry.is_exceeded = 1;
        } else if (hdr.ipv4.length > LONGEST - RECORD) {
            event = event_t.TOO_LONG;
            hdr.telemetry.is_too_long = 1;
        } else {
            if (event != event_t.STARTED) {
                event = event_t.RECORDED;
            }
            added = added + RECORD;
            hdr.telemetry.hops_left = hdr.telemetry.hops_left - 1;
            hdr.shim.words = hdr.shim.words + RECORD_WORDS;
            hdr.records.push_front(1);
            hdr.records[0].setValid();
            hdr.records[0].node = node;
            hdr.records[0].ingress = istd.ingress_interface[15:0];
            hdr.records[0].egress = ostd.redirect_index[15:0];
            hdr.records[0].time = istd.timestamp;
            udp_sum.add(hdr.records[0]);
        }
    }

    // All of it, with what it was in the checksum.
    action take_out() {
        event = event_t.TAKEN_OUT;
        added = 0 - (6w0 ++ hdr.shim.words ++ 2w0);
        hdr.ipv4.service = hdr.shim.service;
        for (bit<8> at in 8w0 .. RECORDS - 1) {
            if (hdr.records[at].isValid()) {
                udp_sum.subtract(hdr.records[at]);
                hdr.records[at].setInvalid();
            }
        }
        hdr.shim.setInvalid();
        hdr.telemetry.setInvalid();
    }

    // Out of the checksums goes what may change...
    action before() {
        ipv4_sum.set_state(~hdr.ipv4.checksum);
        ipv4_sum.subtract({ 8w0, hdr.ipv4.service, hdr.ipv4.congestion, hdr.ipv4.length });
        udp_sum.set_state(~hdr.udp.checksum);
        // The length counts in UDP's own header, and in the one that is only summed.
        udp_sum.subtract({ hdr.udp.length, hdr.udp.length });
        if (hdr.shim.isValid()) {
            udp_sum.subtract(hdr.shim);
            udp_sum.subtract(hdr.telemetry);
        }
    }

    // ... and what it has become goes in.
    action behind() {
        hdr.ipv4.length = hdr.ipv4.length + added;
        hdr.udp.length = hdr.udp.length + added;
        ipv4_sum.add({ 8w0, hdr.ipv4.service, hdr.ipv4.congestion, hdr.ipv4.length });
        hdr.ipv4.checksum = ipv4_sum.get();
        udp_sum.add({ hdr.udp.length, hdr.udp.length });
        if (hdr.shim.isValid()) {
            udp_sum.add(hdr.shim);
            udp_sum.add(hdr.telemetry);
        }
        // 0 is none, and stays none.
        if (hdr.udp.checksum != 0) {
            bit<16> checksum = udp_sum.get();
            hdr.udp.checksum = checksum == 0 ? 16w0xffff : checksum;
        }
    }

    // The packet as it came, behind headers that `from_tap` has begun.
    action report() {
        event = event_t.REPORTED;
        bit<32> number = reports.read(0);
        reports.write(0, number + 1);
        hdr.report.setValid();
        hdr.report = { node, number, istd.timestamp };
        hdr.report_udp.length = istd.packet_length[15:0] + IN_UDP;
        hdr.report_udp.checksum = 0;
        hdr.report_ipv4.version = 4;
        hdr.report_ipv4.header_words = 5;
        hdr.report_ipv4.service = 0;
        hdr.report_ipv4.congestion = 0;
        hdr.report_ipv4.length = istd.packet_length[15:0] + IN_IPV4;
        hdr.report_ipv4.identification = 0;
        hdr.report_ipv4.flags = 0b010;
        hdr.report_ipv4.fragment = 0;
        hdr.report_ipv4.ttl = 64;
        hdr.report_ipv4.protocol = PROTOCOL_UDP;
        hdr.report_ipv4.checksum = 0;
        ipv4_sum.clear();
        ipv4_sum.add(hdr.report_ipv4);
        hdr.report_ipv4.checksum = ipv4_sum.get();
    }

    apply {
        own.apply();
        interfaces.apply();
        if (from == from_t.TAP) {
            report();
        } else if (from != from_t.NOWHERE) {
            if (!hdr.ipv4.isValid()
                    || (istd.parser_error != error.NoError && !hdr.shim.isValid())) {
                drop();
            } else if (hdr.shim.isValid()
                    && (
                        from == from_t.HOST
                            || istd.parser_error != error.NoError
                            || hdr.udp.length < (6w0 ++ hdr.shim.words ++ 2w0) + 8)) {
                refuse();
            } else {
                routes.apply();
                if (ostd.verdict == NicVerdict_t.REDIRECT && hdr.udp.isValid()) {
                    before();
                    if (from == from_t.HOST && !is_delivered) {
                        watched.apply();
                    }
                    if (hdr.shim.isValid() && is_delivered) {
                        take_out();
                    } else if (hdr.shim.isValid()) {
                        record();
                    }
                    behind();
                }
            }
        }
        // In one place for all, so that a packet counts once and none waits for another.
        if (event != event_t.NONE) {
            events.count((bit<3>)event);
        }
    }
}

control Deparse(packet_out packet, in headers_t hdr, in metadata_t meta) {
    apply {
        packet.emit(hdr.report_ethernet);
        packet.emit(hdr.report_ipv4);
        packet.emit(hdr.report_udp);
        packet.emit(hdr.report);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.shim);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.records);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
