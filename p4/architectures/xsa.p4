// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Parser, match-action, deparser: a packet leaves where it came in, or is dropped.

@hardpath_package("XilinxPipeline")
control hardpath_xsa<H, M>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (Parser<H, M> p, MatchAction<H, M> ma, Deparser<H, M> dep)
{
    H headers;
    M meta;
    standard_metadata_t standard;

    apply {
        standard.drop = 0;
        standard.ingress_timestamp = arrival.time;
        error ended = p.apply(packet, headers, meta, standard);
        standard.parser_error = ended;
        ma.apply(headers, meta, standard);
        dep.apply(leaving, headers, meta, standard);
        if (standard.drop == 1) {
            hardpath_drop();
        } else {
            hardpath_send_back();
        }
    }
}
