// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A filter: a packet passes as it came in, or it does not.

@hardpath_package("ebpfFilter")
control hardpath_ebpf<H>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (parse<H> prs, filter<H> filt)
{
    H headers;
    bool accept = false;

    apply {
        prs.apply(packet, headers);
        if (!hardpath_rejected()) {
            filt.apply(headers, accept);
        }
        hardpath_rewind(packet);
        if (accept) {
            hardpath_send(arrival.port);
        } else {
            hardpath_drop();
        }
    }
}
