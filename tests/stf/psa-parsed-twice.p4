// Section "Packet paths" of the PSA specification: what the first deparser has written is what the second parser reads.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<8> kind;
    bit<8> value;
}
header tag_t {
    bit<8> tag;
    bit<8> next;
}

struct headers_t {
    tag_t tag;
    data_t h;
}
struct meta_t {}
struct none_t {}

parser ParseIn(
    packet_in packet,
    out headers_t hdr,
    inout meta_t meta,
    in psa_ingress_parser_input_metadata_t istd,
    in none_t resubmitted,
    in none_t recirculated
) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    apply {
        send_to_port(ostd, (PortId_t)(PortIdUint_t)(bit<32>)hdr.h.kind);
        if (hdr.h.kind == 9) {
            ingress_drop(ostd);
        }
        // In front of the others, for some.
        if (hdr.h.value[0:0] == 1) {
            hdr.tag = { 0x77, hdr.h.value };
        }
    }
}

control DeparseIn(
    packet_out packet,
    out none_t clone_meta,
    out none_t resubmit_meta,
    out none_t normal_meta,
    inout headers_t hdr,
    in meta_t meta,
    in psa_ingress_output_metadata_t istd
) {
    apply {
        packet.emit(hdr);
    }
}

parser ParseOut(
    packet_in packet,
    out headers_t hdr,
    inout meta_t meta,
    in psa_egress_parser_input_metadata_t istd,
    in none_t normal_meta,
    in none_t clone_i2e,
    in none_t clone_e2e
) {
    state start {
        transition select(packet.lookahead<bit<8>>()) {
            0x77: tag;
            default: data;
        }
    }
    state tag {
        packet.extract(hdr.tag);
        transition data;
    }
    state data {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Send(inout headers_t hdr, inout meta_t meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {
    apply {
        hdr.h.kind = hdr.h.kind + 0x10;
        if (hdr.tag.isValid()) {
            hdr.tag.next = hdr.tag.next + 1;
        }
    }
}

control DeparseOut(
    packet_out packet,
    out none_t clone_meta,
    out none_t recirculate_meta,
    inout headers_t hdr,
    in meta_t meta,
    in psa_egress_output_metadata_t istd,
    in psa_egress_deparser_input_metadata_t edstd
) {
    apply {
        packet.emit(hdr);
    }
}

IngressPipeline(ParseIn(), Receive(), DeparseIn()) ingress;
EgressPipeline(ParseOut(), Send(), DeparseOut()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
