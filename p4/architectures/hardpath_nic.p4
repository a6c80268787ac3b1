// SPDX-License-Identifier: MIT OR Apache-2.0
//
// hardpath's own: a bump in the wire with XDP's verdicts. It stands behind the ports that designs of XDP programs have.

@hardpath_package("HardpathNic")
control hardpath_nic<H, M>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (NicParser<H, M> parse, NicControl<H, M> process, NicDeparser<H, M> deparse)
{
    H headers;
    M meta;
    nic_parser_input_metadata_t parser_in;
    nic_input_metadata_t in_meta;
    nic_output_metadata_t out_meta;

    apply {
        parser_in.ingress_interface = arrival.port;
        parser_in.packet_length = arrival.length;
        parser_in.timestamp = arrival.time;
        in_meta.ingress_interface = arrival.port;
        in_meta.packet_length = arrival.length;
        in_meta.timestamp = arrival.time;
        out_meta.verdict = NicVerdict_t.PASS;
        out_meta.redirect_to = NicTarget_t.INTERFACE;
        out_meta.redirect_index = 0;
        in_meta.parser_error = parse.apply(packet, headers, meta, parser_in);
        process.apply(headers, meta, in_meta, out_meta);
        if (out_meta.verdict == NicVerdict_t.PASS) {
            hardpath_send_to_host(0);
        } else if (out_meta.verdict == NicVerdict_t.TX) {
            hardpath_send_back();
        } else if (out_meta.verdict == NicVerdict_t.REDIRECT && out_meta.redirect_to == NicTarget_t.INTERFACE) {
            hardpath_send(out_meta.redirect_index);
        } else if (out_meta.verdict == NicVerdict_t.REDIRECT) {
            hardpath_send_to_host(out_meta.redirect_index);
        } else {
            hardpath_drop();
        }
        deparse.apply(leaving, headers, meta);
    }
}
