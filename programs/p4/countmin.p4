// A count-min sketch: packets of flows are counted in four rows, and a flow that is over the limit of its network is marked, or shown to
// the host.
//
//     hardpath stf programs/p4/countmin.p4 programs/p4/countmin.stf # packets in, packets out
//     hardpath compile programs/p4/countmin.p4 -o build/countmin    # SystemVerilog and a report
//     hardpath synth programs/p4/countmin.p4                        # area and depth
//
// A packet adds 1 to one cell of each row, and the smallest of the four is what its flow has sent: never too little, and too much only
// where others share its cells in all four rows. Of 4,096 cells, after n packets, a flow is counted too high by more than n / 1,500 in
// at most one case of 50 (Cormode and Muthukrishnan, 2005: by e * n / 4,096 with probability e^-4). The host writes zeros at the end of
// each interval (`register_reset`).
//
// Networks have limits by longest prefix; what has none is not counted. Packets go from one interface to another as `links` says.
#include <core.p4>
#include <hardpath_nic.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_t;
typedef bit<32> interface_t;
typedef bit<32> count_t;
// A cell of a row; its width and the number of cells belong together.
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

struct metadata_t {
    // 0 where a packet has none: fragments but for the first one, other protocols. Those of two hosts are one flow.
    bit<16> src_port;
    bit<16> dst_port;
}

error {
    NotIPv4,
    HeaderLengthTooSmall
}

parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    in nic_parser_input_metadata_t istd
) {
    state start {
        meta.src_port = 0;
        meta.dst_port = 0;
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
    state protocol {
        transition select(hdr.ipv4.fragment, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): ports;
            (0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        meta.src_port = hdr.ports.src;
        meta.dst_port = hdr.ports.dst;
        transition accept;
    }
}

// Adds 1 to the cell of a row, up to the highest number there is.
control Row(in cell_t cell, out count_t count) {
    Register<count_t, cell_t>(CELLS) cells;
    apply {
        count = cells.read(cell) |+| 1;
        cells.write(cell, count);
    }
}

control Process(
    inout headers_t hdr,
    inout metadata_t meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd
) {
    Hash<bit<32>>(NicHashAlgorithm_t.CRC32) hash;
    Row() row_0;
    Row() row_1;
    Row() row_2;
    Row() row_3;
    // Of each network that has a limit.
    DirectCounter<bit<64>>(NicCounterType_t.PACKETS_AND_BYTES) packets;
    // Over the limit: 0 shown to the host, 1 marked.
    Counter<bit<64>, bit<1>>(2, NicCounterType_t.PACKETS) over;
    InternetChecksum() sum;

    bool is_counted = false;
    bool is_marked = false;
    count_t limit = 0;
    bit<6> mark_with = 0;
    bit<32> host_queue = 0;

    action link(interface_t to) {
        nic_redirect(ostd, to);
    }

    action drop() {
        nic_drop(ostd);
    }

    table links {
        key = {
            istd.ingress_interface: exact;
        }
        actions = {
            link;
            drop;
        }
        default_action = drop();
        size = 16;
    }

    // Packets over the limit get another service (DSCP).
    action mark(count_t above, bit<6> service) {
        packets.count();
        is_counted = true;
        is_marked = true;
        limit = above;
        mark_with = service;
    }

    // Packets over the limit go to the host.
    action show(count_t above, bit<16> queue) {
        packets.count();
        is_counted = true;
        limit = above;
        host_queue = (bit<32>)queue;
    }

    action pass() {}

    table limits {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            mark;
            show;
            pass;
        }
        default_action = pass();
        nic_direct_counter = packets;
        size = 256;
    }

    // The sum may be over options, too, and be wrong; so it is not made anew (RFC 1624).
    action change_service(bit<6> service) {
        sum.set_state(~hdr.ipv4.checksum);
        sum.subtract(
            { hdr.ipv4.version, hdr.ipv4.header_words, hdr.ipv4.service, hdr.ipv4.congestion });
        hdr.ipv4.service = service;
        sum.add({ hdr.ipv4.version, hdr.ipv4.header_words, hdr.ipv4.service, hdr.ipv4.congestion });
        hdr.ipv4.checksum = sum.get();
    }

    apply {
        if (istd.parser_error != error.NoError) {
            drop();
            return;
        }
        links.apply();
        if (!hdr.ipv4.isValid() || ostd.verdict == NicVerdict_t.DROP) {
            return;
        }
        limits.apply();
        if (is_counted) {
            // Two hashes of 32 bits make four of 12. The fields of the second one stand in another order: with a number in front, say, it
            // would tell the same flows apart as the first one, because the CRC of a sum is the sum of the CRCs.
            bit<32> first = hash.get_hash(
                { hdr.ipv4.src, hdr.ipv4.dst, meta.src_port, meta.dst_port, hdr.ipv4.protocol });
            bit<32> second = hash.get_hash(
                { meta.dst_port, hdr.ipv4.protocol, hdr.ipv4.dst, meta.src_port, hdr.ipv4.src });
            count_t count_0;
            count_t count_1;
            count_t count_2;
            count_t count_3;
            row_0.apply(first[11:0], count_0);
            row_1.apply(first[27:16], count_1);
            row_2.apply(second[11:0], count_2);
            row_3.apply(second[27:16], count_3);
            bool is_over = count_0 > limit && count_1 > limit && count_2 > limit && count_3 > limit;
            if (is_over) {
                over.count((bit<1>)is_marked);
                if (is_marked) {
                    change_service(mark_with);
                } else {
                    nic_redirect_to_queue(ostd, host_queue);
                }
            }
        }
    }
}

control Deparse(packet_out packet, in headers_t hdr, in metadata_t meta) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ports);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
