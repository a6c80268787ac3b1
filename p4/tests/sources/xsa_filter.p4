// A program for xsa.p4: tagged frames by their VLAN, with hardware of the user's that says which of them are sampled.
#include <xsa.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> kind;
}

header vlan_t {
    bit<3> priority;
    bit<1> may_drop;
    bit<12> id;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
}

struct metadata_t {
    bit<4> egress_port;
    bit<1> is_sampled;
    bit<16> sum;
}

parser parse(
    packet_in packet,
    out headers_t headers,
    inout metadata_t metadata,
    inout standard_metadata_t standard_metadata
) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.kind) {
            0x8100: vlan;
            default: accept;
        }
    }
    state vlan {
        packet.extract(headers.vlan);
        transition accept;
    }
}

control filter(
    inout headers_t headers,
    inout metadata_t metadata,
    inout standard_metadata_t standard_metadata
) {
    UserExtern<bit<64>, bit<1>>(16) sampler;
    Counter<bit<64>, bit<12>>(4096, CounterType_t.BYTES) bytes;
    Checksum<bit<16>>(HashAlgorithm_t.CRC16) checksum;
    InternetChecksum() internet_checksum;
    Register<bit<32>, bit<12>>(4096) packets;

    action drop() {
        standard_metadata.drop = 1;
    }
    action forward(bit<4> port) {
        metadata.egress_port = port;
    }
    table vlans {
        key = {
            headers.vlan.id: exact;
            headers.vlan.priority: unused;
            headers.ethernet.dst: field_mask;
            standard_metadata.parsed_bytes: range;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop;
        size = 256;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError || !headers.vlan.isValid()) {
            drop();
            return;
        }
        bytes.count(headers.vlan.id);
        packets.write(headers.vlan.id, packets.read(headers.vlan.id) + 1);
        sampler.apply(standard_metadata.ingress_timestamp, metadata.is_sampled);
        checksum.apply({ headers.ethernet.dst, headers.ethernet.src }, metadata.sum);
        internet_checksum.add(headers.ethernet.kind);
        internet_checksum.get(metadata.sum);
        vlans.apply();
    }
}

control deparse(
    packet_out packet,
    in headers_t headers,
    inout metadata_t metadata,
    inout standard_metadata_t standard_metadata
) {
    apply {
        packet.emit(headers);
    }
}

XilinxPipeline(parse(), filter(), deparse()) main;
