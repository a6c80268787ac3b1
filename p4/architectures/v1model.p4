// SPDX-License-Identifier: MIT OR Apache-2.0
//
// BMv2's simple_switch.

@hardpath_package("V1Switch")
control hardpath_v1model<H, M>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (Parser<H, M> p, VerifyChecksum<H, M> vr, Ingress<H, M> ig, Egress<H, M> eg, ComputeChecksum<H, M> ck, Deparser<H> dep)
{
    H hdr;
    M meta;
    standard_metadata_t standard;

    apply {
        standard.ingress_port = (bit<9>)arrival.port;
        standard.packet_length = arrival.length;
        standard.ingress_global_timestamp = (bit<48>)(arrival.time / 1000);
        standard.parser_error = p.apply(packet, hdr, meta, standard);
        vr.apply(hdr, meta);
        standard.checksum_error = (bit<1>)hardpath_checksum_failed();
        ig.apply(hdr, meta, standard);

        if (standard.mcast_grp != 0) {
            hardpath_refuse("a multicast group");
        } else if (standard.egress_spec == 511) {
            hardpath_drop();
        } else {
            hardpath_send((bit<32>)standard.egress_spec);
        }
        hardpath_queue();

        standard.egress_port = standard.egress_spec;
        // Only what egress says itself drops there.
        standard.egress_spec = 0;
        standard.egress_global_timestamp = (bit<48>)(arrival.time / 1000);
        eg.apply(hdr, meta, standard);
        if (standard.egress_spec == 511) {
            hardpath_drop();
        }
        ck.apply(hdr, meta);
        dep.apply(leaving, hdr);
    }
}

@hardpath_extern("mark_to_drop")
void hardpath_mark_to_drop(inout standard_metadata_t standard) {
    standard.egress_spec = 511;
    standard.mcast_grp = 0;
}
