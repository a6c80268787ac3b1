// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A program for uBPF.

const bit<8> MARKED_TO_DROP = 1;

@hardpath_extern("mark_to_drop")
void hardpath_mark_to_drop() {
    hardpath_note(MARKED_TO_DROP);
}

@hardpath_extern("mark_to_pass")
void hardpath_mark_to_pass() {
    hardpath_note(0);
}

@hardpath_package("ubpf")
control hardpath_ubpf<H, M>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (parse<H, M> prs, pipeline<H, M> p, deparser<H> dprs)
{
    H headers;
    M meta;
    standard_metadata standard;

    apply {
        standard.input_port = arrival.port;
        standard.packet_length = arrival.length;
        standard.output_action = ubpf_action.PASS;
        prs.apply(packet, headers, meta, standard);
        // A packet that is rejected passes, with what was read of it.
        if (!hardpath_rejected()) {
            p.apply(headers, meta, standard);
        }
        // What these functions say counts more than what the metadata have.
        if (hardpath_noted() == MARKED_TO_DROP) {
            standard.output_action = ubpf_action.DROP;
        }
        if (standard.clone) {
            hardpath_refuse("a clone");
        }
        if (standard.output_action == ubpf_action.PASS) {
            hardpath_send(arrival.port);
        } else if (standard.output_action == ubpf_action.REDIRECT) {
            hardpath_send(standard.output_port);
        } else {
            hardpath_drop();
        }
        dprs.apply(leaving, headers);
        hardpath_write_over(packet, leaving);
    }
}
