// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable Switch Architecture, version 1.2 of its specification.

@hardpath_package("PSA_Switch")
control hardpath_psa<IH, IM, EH, EM, NM, CI2EM, CE2EM, RESUBM, RECIRCM>(
    packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM> ingress,
     PacketReplicationEngine pre,
     EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM> egress,
     BufferingQueueingEngine bqe)
{
    IH ingress_headers;
    IM ingress_meta;
    EH egress_headers;
    EM egress_meta;
    NM normal_meta;
    CI2EM clone_i2e_meta;
    CE2EM clone_e2e_meta;
    RESUBM resubmit_meta;
    RECIRCM recirculate_meta;
    psa_ingress_parser_input_metadata_t ingress_parser;
    psa_ingress_input_metadata_t ingress_in;
    psa_ingress_output_metadata_t ingress_out;
    psa_egress_parser_input_metadata_t egress_parser;
    psa_egress_input_metadata_t egress_in;
    psa_egress_output_metadata_t egress_out;
    psa_egress_deparser_input_metadata_t egress_deparser;

    apply {
        ingress_parser.ingress_port = (PortId_t)(PortIdUint_t)arrival.port;
        ingress_parser.packet_path = PSA_PacketPath_t.NORMAL;
        ingress_in.ingress_port = ingress_parser.ingress_port;
        ingress_in.packet_path = PSA_PacketPath_t.NORMAL;
        ingress_in.ingress_timestamp = (Timestamp_t)(TimestampUint_t)arrival.time;
        ingress_in.parser_error = ingress.ip.apply(
            packet, ingress_headers, ingress_meta, ingress_parser, resubmit_meta, recirculate_meta);

        ingress_out.class_of_service = (ClassOfService_t)0;
        ingress_out.clone = false;
        ingress_out.drop = true;
        ingress_out.resubmit = false;
        ingress_out.multicast_group = (MulticastGroup_t)0;
        ingress.ig.apply(ingress_headers, ingress_meta, ingress_in, ingress_out);
        ingress.id.apply(
            leaving, clone_i2e_meta, resubmit_meta, normal_meta, ingress_headers, ingress_meta, ingress_out);
        if (ingress_out.clone) {
            hardpath_refuse("a clone");
        }
        if (ingress_out.drop) {
            hardpath_drop();
        } else if (ingress_out.resubmit) {
            hardpath_refuse("a resubmit");
        } else if (ingress_out.multicast_group != (MulticastGroup_t)0) {
            hardpath_refuse("a multicast group");
        } else {
            hardpath_send((bit<32>)(PortIdUint_t)ingress_out.egress_port);
        }
        hardpath_turn_around(packet, leaving);
        hardpath_queue();

        egress_parser.egress_port = ingress_out.egress_port;
        egress_parser.packet_path = PSA_PacketPath_t.NORMAL_UNICAST;
        egress_in.class_of_service = ingress_out.class_of_service;
        egress_in.egress_port = ingress_out.egress_port;
        egress_in.packet_path = PSA_PacketPath_t.NORMAL_UNICAST;
        egress_in.egress_timestamp = (Timestamp_t)(TimestampUint_t)arrival.time;
        egress_in.parser_error = egress.ep.apply(
            packet, egress_headers, egress_meta, egress_parser, normal_meta, clone_i2e_meta, clone_e2e_meta);
        egress_out.clone = false;
        egress_out.drop = false;
        egress.eg.apply(egress_headers, egress_meta, egress_in, egress_out);
        egress_deparser.egress_port = ingress_out.egress_port;
        egress.ed.apply(
            leaving, clone_e2e_meta, recirculate_meta, egress_headers, egress_meta, egress_out, egress_deparser);
        if (egress_out.clone) {
            hardpath_refuse("a clone");
        }
        if (egress_out.drop) {
            hardpath_drop();
        } else if (ingress_out.egress_port == PSA_PORT_RECIRCULATE) {
            // Whether a port is that one only packets say.
            hardpath_lose("a recirculated packet");
        }
    }
}

@hardpath_extern("psa_clone_i2e")
bool hardpath_psa_clone_i2e(in psa_ingress_output_metadata_t istd) {
    return istd.clone;
}

@hardpath_extern("psa_resubmit")
bool hardpath_psa_resubmit(in psa_ingress_output_metadata_t istd) {
    return !istd.drop && istd.resubmit;
}

@hardpath_extern("psa_normal")
bool hardpath_psa_normal(in psa_ingress_output_metadata_t istd) {
    return !istd.drop && !istd.resubmit;
}

@hardpath_extern("psa_clone_e2e")
bool hardpath_psa_clone_e2e(in psa_egress_output_metadata_t istd) {
    return istd.clone;
}

@hardpath_extern("psa_recirculate")
bool hardpath_psa_recirculate(in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    return !istd.drop && edstd.egress_port == PSA_PORT_RECIRCULATE;
}
