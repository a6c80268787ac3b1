// An acceptor of Paxos, as a bump in the wire: it promises and votes in hardware, and remembers both for 1,024 instances.
//
//     hardpath stf programs/p4/paxos.p4 programs/p4/paxos.stf       # packets in, packets out
//     hardpath compile programs/p4/paxos.p4 -o build/paxos          # SystemVerilog and a report
//     hardpath synth programs/p4/paxos.p4                           # area and depth
//
// One message is one UDP datagram of 52 bytes. Rounds begin at 1; 0 as the round of a vote says that there was none:
//
//     Ethernet | IPv4 | UDP, port 34952 | kind | instance | round | round of the vote | acceptor | value, 32 bytes
//
//     1A, round r      r >= what was promised: promise r, answer 1B with the last vote, to who asked
//     2A, round r      r >= what was promised: promise r and vote for the value, answer 2B, to the learners
//     1A, 2A below it  stale: dropped
//
// Asked again, the acceptor answers again: in one round there is one proposer, and the answer is the same. What is no message for an
// acceptor goes to the host.
//
// Instances are kept from the first one on that the host says, at their lowest bits. To go on, the host closes the old ones (`first` up,
// `count` down), writes zeros to their cells in all three registers, and opens as many at the end (`count` up).
#include <core.p4>
#include <hardpath_nic.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<32> instance_t;
typedef bit<16> round_t;
typedef bit<256> value_t;
// Where an instance is kept; its width and the number of cells belong together.
typedef bit<10> cell_t;

const bit<32> CELLS = 1024;
const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_PAXOS = 34952;
// Of a message, in IPv4 and in UDP.
const bit<16> IPV4_LENGTH = 72;
const bit<16> UDP_LENGTH = 52;

enum bit<16> kind_t {
    PREPARE = 1, // 1A
    PROMISE = 2, // 1B
    ACCEPT = 3, // 2A
    VOTE = 4 // 2B
}

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

header paxos_t {
    bit<16> kind;
    instance_t instance;
    round_t round;
    round_t voted;
    bit<16> acceptor;
    value_t value;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_h ipv4;
    udp_t udp;
    paxos_t paxos;
}

struct metadata_t {}

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
    // Without options, and no fragment: the lowest flag says that more fragments come.
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
            PORT_PAXOS: paxos;
            default: accept;
        }
    }
    state paxos {
        packet.extract(hdr.paxos);
        transition accept;
    }
}

control Process(
    inout headers_t hdr,
    inout metadata_t meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd
) {
    // The highest round that was promised, the round of the last vote, and what it was for.
    Register<round_t, cell_t>(CELLS) rounds;
    Register<round_t, cell_t>(CELLS) votes;
    Register<value_t, cell_t>(CELLS) values;
    // What became of messages: 0 promised, 1 voted, 2 stale, 3 of an instance that is not open, 4 broken.
    Counter<bit<64>, bit<3>>(5, NicCounterType_t.PACKETS) outcomes;
    InternetChecksum() ipv4_sum;
    InternetChecksum() udp_sum;

    bit<3> outcome = 0;
    bool is_open = false;
    bit<16> own_number = 0;
    mac_t own_mac = 0;
    ipv4_t own_address = 0;
    mac_t learners_mac = 0;
    ipv4_t learners_address = 0;

    // Open are `count` instances, 1,024 at most, from `first` on; numbers of instances go round.
    action serve(
        bit<16> number,
        instance_t first,
        bit<32> count,
        mac_t mac,
        ipv4_t address,
        mac_t to_mac,
        ipv4_t to_address
    ) {
        is_open = hdr.paxos.instance - first < count;
        own_number = number;
        own_mac = mac;
        own_address = address;
        learners_mac = to_mac;
        learners_address = to_address;
    }

    action close() {}

    // Has a default action and no entries.
    table acceptor {
        actions = {
            serve;
            close;
        }
        default_action = close();
    }

    // A checksum of 0 is none (RFC 768); lengths are those of a message.
    action check(out bool is_right) {
        ipv4_sum.clear();
        ipv4_sum.add(hdr.ipv4);
        udp_sum.clear();
        udp_sum.add({ hdr.ipv4.src, hdr.ipv4.dst, 8w0, hdr.ipv4.protocol, hdr.udp.length });
        udp_sum.add(hdr.udp);
        udp_sum.add(hdr.paxos);
        is_right = ipv4_sum.get() == 0
            && (hdr.udp.checksum == 0 || udp_sum.get() == 0)
            && hdr.ipv4.length == IPV4_LENGTH
            && hdr.udp.length == UDP_LENGTH;
    }

    // From here to somebody, out where the question came in.
    action answer(mac_t mac, ipv4_t address, bit<16> port) {
        hdr.ethernet.dst = mac;
        hdr.ethernet.src = own_mac;
        hdr.ipv4.service = 0;
        hdr.ipv4.identification = 0;
        hdr.ipv4.flags = 0b010;
        hdr.ipv4.ttl = 64;
        hdr.ipv4.dst = address;
        hdr.ipv4.src = own_address;
        hdr.udp.dst = port;
        hdr.udp.src = PORT_PAXOS;
        hdr.paxos.acceptor = own_number;
        nic_tx(ostd);
    }

    // Of what `answer` has made.
    action sum() {
        hdr.ipv4.checksum = 0;
        ipv4_sum.clear();
        ipv4_sum.add(hdr.ipv4);
        hdr.ipv4.checksum = ipv4_sum.get();
        hdr.udp.checksum = 0;
        udp_sum.clear();
        udp_sum.add({ hdr.ipv4.src, hdr.ipv4.dst, 8w0, hdr.ipv4.protocol, hdr.udp.length });
        udp_sum.add(hdr.udp);
        udp_sum.add(hdr.paxos);
        bit<16> udp_checksum = udp_sum.get();
        hdr.udp.checksum = udp_checksum == 0 ? 16w0xffff : udp_checksum;
    }

    action refuse(bit<3> why) {
        outcome = why;
        nic_drop(ostd);
    }

    // A message for an acceptor, of an instance that is open.
    action decide() {
        cell_t cell = hdr.paxos.instance[9:0];
        round_t promised = rounds.read(cell);
        // Round 0 is never promised, as a vote in it would look like none.
        bool holds = hdr.paxos.round >= promised && hdr.paxos.round != 0;
        if (holds) {
            rounds.write(cell, hdr.paxos.round);
        }
        if (!holds) {
            refuse(2);
        } else if (hdr.paxos.kind == kind_t.PREPARE) {
            hdr.paxos.kind = kind_t.PROMISE;
            hdr.paxos.voted = votes.read(cell);
            hdr.paxos.value = values.read(cell);
            outcome = 0;
            answer(hdr.ethernet.src, hdr.ipv4.src, hdr.udp.src);
            sum();
        } else {
            hdr.paxos.kind = kind_t.VOTE;
            hdr.paxos.voted = hdr.paxos.round;
            votes.write(cell, hdr.paxos.round);
            values.write(cell, hdr.paxos.value);
            outcome = 1;
            answer(learners_mac, learners_address, PORT_PAXOS);
            sum();
        }
    }

    apply {
        // What the parser has not come to the end of, as a packet that is cut, is for the host to look at.
        if (istd.parser_error == error.NoError && hdr.paxos.isValid()) {
            if (hdr.paxos.kind == kind_t.PREPARE || hdr.paxos.kind == kind_t.ACCEPT) {
                bool is_right;
                check(is_right);
                acceptor.apply();
                if (!is_right) {
                    refuse(4);
                } else if (!is_open) {
                    refuse(3);
                } else {
                    decide();
                }
                // In one place for all, so that a packet counts once and none waits for another.
                outcomes.count(outcome);
            }
        }
    }
}

control Deparse(packet_out packet, in headers_t hdr, in metadata_t meta) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.paxos);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
