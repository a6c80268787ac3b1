// A handler of market data: of the two lines of a feed it lets each packet through once, and of a packet the messages that somebody wants.
//
//     hardpath stf programs/p4/marketdata.p4 programs/p4/marketdata.stf # packets in, packets out
//     hardpath compile programs/p4/marketdata.p4 -o build/marketdata    # SystemVerilog and a report
//     hardpath synth programs/p4/marketdata.p4                          # area and depth
//
// A packet has a header as that of MoldUDP64, and messages with the fields of an "Add Order" of ITCH 5.0, each with its length in front:
//
//     Ethernet | IPv4 | UDP | session, sequence number, count | 36, message | 36, message | ...
//
// Sessions are known by their group, port and name (`sessions`); those of both lines lead to the same stream. A stream remembers, for
// each of the last 512 numbers, the packet that began with it: one that was seen is a duplicate, one whose place is taken by a later one
// comes too late. What one line has lost, the other one still brings. A new session begins at 1: the host clears `seen` and `expected`.
//
// Each message is looked up by its stock. What no group wants is taken out; where the rest goes is said by all groups together that want
// something of it (`groups`). Heartbeats, the end of a session, and packets that cannot be taken apart (messages of other lengths, or more
// than MESSAGES) leave whole. A packet keeps its sequence number; behind this handler numbers do not tell what is lost, here `gaps` does.
//
// MESSAGES is how many there may be in a packet: 5 for packets of 256 bytes, 11 for 512, 25 for 1,024. Each has a lookup of its own, and a
// copy of the table with it. A pipeline takes 5, 11 and 25 (an estimate of 28,000, 65,000 and 146,000 LUT); a core has room for 5.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<9> port_t;
typedef bit<64> sequence_t;
typedef bit<64> stock_t;
typedef bit<3> stream_t;
// A bit for each group that wants something.
typedef bit<8> groups_t;

const int MESSAGES = 5;
const int STREAMS = 8;
// Numbers that a stream remembers; the lowest 9 bits say where.
const int REMEMBERED = 512;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// Bytes of a message, and with its length in front.
const bit<16> MESSAGE = 36;
const bit<16> BLOCK = 38;
// UDP and MoldUDP64.
const bit<16> HEADERS = 28;
// Counts of MoldUDP64 that are none.
const bit<16> HEARTBEAT = 0;
const bit<16> END_OF_SESSION = 0xffff;

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

// MoldUDP64 1.00, "Downstream Packet"; `sequence` is that of the first message, or of the next one where there is none.
header mold_t {
    bit<80> session;
    sequence_t sequence;
    bit<16> count;
}

// MoldUDP64 1.00, "Message Block", with ITCH 5.0, "Add Order - No MPID Attribution".
header block_t {
    bit<16> length;
    bit<8> type;
    bit<16> locate;
    bit<16> tracking;
    bit<48> time;
    bit<64> order;
    bit<8> side;
    bit<32> shares;
    stock_t stock;
    bit<32> price;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    udp_t udp;
    mold_t mold;
    block_t[MESSAGES] blocks;
}

struct metadata_t {
    // Messages that the parser has not come to.
    bit<16> left;
    // The headers have changed.
    bool filtered;
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
    // No options, no fragments.
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
        packet.extract(hdr.mold);
        meta.left = hdr.mold.count;
        transition select(hdr.mold.count) {
            HEARTBEAT: accept;
            END_OF_SESSION: accept;
            default: next;
        }
    }
    state next {
        transition select(packet.lookahead<bit<16>>()) {
            MESSAGE: block;
            default: accept;
        }
    }
    // More messages than the stack has elements: the parser ends with an error.
    state block {
        packet.extract(hdr.blocks.next);
        meta.left = meta.left - 1;
        transition select(meta.left) {
            0: accept;
            default: next;
        }
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
                hdr.ipv4.dst
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

enum bit<3> outcome_t {
    // Some or all of its messages leave.
    FILTERED = 0,
    UNWANTED = 1,
    DUPLICATE = 2,
    LATE = 3,
    // A heartbeat or the end of a session.
    EMPTY = 4,
    WHOLE = 5,
    // Lengths do not fit.
    BROKEN = 6
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    // By stream and the lowest bits of the sequence number: the last packet that began with such a number.
    register<sequence_t>(STREAMS * REMEMBERED) seen;
    // By stream: the number behind the highest one that came; at first 0.
    register<sequence_t>(STREAMS) expected;
    // By stream and outcome_t.
    counter(STREAMS * 8, CounterType.packets) outcomes;
    // By stream: how often something was missing in front of a packet. The other line may have brought it later.
    counter(STREAMS, CounterType.packets) gaps;

    stream_t stream = 0;
    port_t whole_port = 0;
    stock_t stock = 0;
    groups_t wanted_by = 0;
    groups_t groups_of_packet = 0;
    outcome_t outcome = outcome_t.FILTERED;

    action drop() {
        mark_to_drop(std);
    }

    // Whose packets are these, and where they go as a whole.
    action feed(stream_t number, port_t port) {
        stream = number;
        whole_port = port;
    }

    table sessions {
        key = {
            hdr.ipv4.dst: exact;
            hdr.udp.dst: exact;
            hdr.mold.session: exact;
        }
        actions = {
            feed;
            drop;
        }
        default_action = drop();
        size = 64;
    }

    action take(groups_t who) {
        wanted_by = who;
    }

    action skip() {
        wanted_by = 0;
    }

    table stocks {
        key = {
            stock: exact @name("stock");
        }
        actions = {
            take;
            skip;
        }
        default_action = skip();
        size = 1024;
    }

    action send(port_t port) {
        std.egress_spec = port;
    }

    table groups {
        key = {
            groups_of_packet: exact @name("groups");
        }
        actions = {
            send;
            drop;
        }
        default_action = drop();
        size = 256;
    }

    // Whether the packet is new, and if not, what it is.
    action remember() {
        bit<32> cell = (bit<32>)(stream ++ hdr.mold.sequence[8:0]);
        sequence_t last;
        seen.read(last, cell);
        if (hdr.mold.sequence > last) {
            seen.write(cell, hdr.mold.sequence);
        } else if (hdr.mold.sequence == last) {
            outcome = outcome_t.DUPLICATE;
        } else {
            outcome = outcome_t.LATE;
        }
    }

    // What a stream goes on with behind this packet; a gap is a number above it, but at the first packet of all.
    action follow(bit<16> count) {
        sequence_t next;
        sequence_t behind = hdr.mold.sequence + (sequence_t)count;
        expected.read(next, (bit<32>)stream);
        if (behind > next) {
            expected.write((bit<32>)stream, behind);
        }
        if (hdr.mold.sequence > next && next != 0) {
            gaps.count((bit<32>)stream);
        }
    }

    // Takes out what nobody wants. A checksum of UDP that would have to be made anew is left out, as it may be (RFC 768).
    action shorten(bit<16> kept) {
        bit<16> less = (hdr.mold.count - kept) * BLOCK;
        if (less != 0) {
            hdr.ipv4.length = hdr.ipv4.length - less;
            hdr.udp.length = hdr.udp.length - less;
            hdr.udp.checksum = 0;
            hdr.mold.count = kept;
            meta.filtered = true;
        }
    }

    apply {
        if (std.checksum_error == 1 || !hdr.mold.isValid()) {
            drop();
        } else {
            switch (sessions.apply().action_run) {
                feed: {
                    bool is_empty = hdr.mold.count == HEARTBEAT || hdr.mold.count == END_OF_SESSION;
                    bool is_whole = !is_empty && meta.left != 0;
                    bit<16> count = is_empty ? 16w0 : hdr.mold.count;
                    if (std.parser_error == error.PacketTooShort
                            || hdr.ipv4.length != hdr.udp.length + 20
                            || std.packet_length < (bit<32>)hdr.ipv4.length + 14
                            || (!is_whole && hdr.udp.length != HEADERS + count * BLOCK)) {
                        outcome = outcome_t.BROKEN;
                    } else {
                        if (is_empty) {
                            outcome = outcome_t.EMPTY;
                        } else {
                            outcome = is_whole ? outcome_t.WHOLE : outcome_t.FILTERED;
                            remember();
                        }
                        follow(count);
                    }

                    if (outcome == outcome_t.FILTERED) {
                        bit<16> kept = 0;
                        for (bit<8> at in 8w0 .. MESSAGES - 1) {
                            if (hdr.blocks[at].isValid()) {
                                stock = hdr.blocks[at].stock;
                                stocks.apply();
                                groups_of_packet = groups_of_packet | wanted_by;
                                if (wanted_by != 0) {
                                    kept = kept + 1;
                                } else {
                                    hdr.blocks[at].setInvalid();
                                }
                            }
                        }
                        if (kept == 0) {
                            outcome = outcome_t.UNWANTED;
                            drop();
                        } else {
                            shorten(kept);
                            groups.apply();
                        }
                    } else if (outcome == outcome_t.EMPTY || outcome == outcome_t.WHOLE) {
                        std.egress_spec = whole_port;
                    } else {
                        drop();
                    }
                    // In one place for all, so that a packet counts once and none waits for another.
                    outcomes.count((bit<32>)(stream ++ (bit<3>)outcome));
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
            meta.filtered,
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
        packet.emit(hdr.udp);
        packet.emit(hdr.mold);
        packet.emit(hdr.blocks);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
