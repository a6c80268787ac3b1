// SPDX-License-Identifier: MIT OR Apache-2.0
//
// p4c-xdp's architecture.

@hardpath_package("xdp")
control hardpath_xdp<H>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (xdp_parse<H> p, xdp_switch<H> s, xdp_deparse<H> d)
{
    H headers;
    xdp_input input;
    xdp_output output;

    apply {
        input.input_port = arrival.port;
        output.output_action = xdp_action.XDP_ABORTED;
        p.apply(packet, headers);
        if (!hardpath_rejected()) {
            s.apply(headers, input, output);
        }
        if (output.output_action == xdp_action.XDP_PASS) {
            hardpath_send_to_host(0);
        } else if (output.output_action == xdp_action.XDP_TX) {
            hardpath_send_back();
        } else if (output.output_action == xdp_action.XDP_REDIRECT) {
            hardpath_send(output.output_port);
        } else {
            hardpath_drop();
        }
        d.apply(headers, leaving);
    }
}
