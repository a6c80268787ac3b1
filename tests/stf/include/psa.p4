// What a test for PSA does not have itself: a parser that extracts one header, a deparser that emits all headers in the order of their
// struct, an egress that leaves packets as they are, and main.
#ifndef HAS_PARSE
struct empty_t {}
parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd, in empty_t resubmitted,
             in empty_t recirculated) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
#endif
#ifndef HAS_DEPARSE
control Deparse(packet_out packet, out empty_t cloned, out empty_t resubmitted, out empty_t normal, inout headers_t hdr, in meta_t meta,
                in psa_ingress_output_metadata_t istd) {
    apply {
        packet.emit(hdr);
    }
}
#endif
parser ParseAgain(packet_in packet, out empty_t hdr, inout empty_t meta, in psa_egress_parser_input_metadata_t istd, in empty_t normal,
                  in empty_t cloned_in, in empty_t cloned_out) {
    state start {
        transition accept;
    }
}
control Send(inout empty_t hdr, inout empty_t meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {
    apply {}
}
control DeparseAgain(packet_out packet, out empty_t cloned, out empty_t recirculated, inout empty_t hdr, in empty_t meta,
                     in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {}
}
PSA_Switch(IngressPipeline(Parse(), Receive(), Deparse()), PacketReplicationEngine(),
           EgressPipeline(ParseAgain(), Send(), DeparseAgain()), BufferingQueueingEngine()) main;
