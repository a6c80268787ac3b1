// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable NIC Architecture, without a control in front of the main parser (BMv2's pna_nic, p4c's backend for tc). Where nothing says
// where a packet goes, it is dropped.

@hardpath_package("PNA_NIC")
control hardpath_pna<MH, MM>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (MainParserT<MH, MM> main_parser, MainControlT<MH, MM> main_control, MainDeparserT<MH, MM> main_deparser)
{
    MH headers;
    MM meta;
    pna_main_parser_input_metadata_t parser_in;
    pna_main_input_metadata_t main_in;
    pna_main_output_metadata_t main_out;

    apply {
        parser_in.recirculated = false;
        parser_in.input_port = (PortId_t)(PortIdUint_t)arrival.port;
        main_in.recirculated = false;
        main_in.timestamp = (Timestamp_t)(TimestampUint_t)arrival.time;
        main_in.input_port = parser_in.input_port;
        main_in.class_of_service = (ClassOfService_t)0;
        main_out.class_of_service = (ClassOfService_t)0;
        main_in.parser_error = main_parser.apply(packet, headers, meta, parser_in);
        main_control.apply(headers, meta, main_in, main_out);
        main_deparser.apply(leaving, headers, meta, main_out);
    }
}

@hardpath_extern("send_to_port")
void hardpath_send_to_port(in PortId_t dest_port) {
    hardpath_send((bit<32>)(PortIdUint_t)dest_port);
}

@hardpath_extern("drop_packet")
void hardpath_drop_packet() {
    hardpath_drop();
}

// All ports are those of a network.
@hardpath_extern("is_net_port")
bool hardpath_is_net_port(in PortId_t p) {
    return true;
}

@hardpath_extern("is_host_port")
bool hardpath_is_host_port(in PortId_t p) {
    return false;
}

@hardpath_extern("SelectByDirection")
T hardpath_select_by_direction<T>(in bool is_network_port, in T from_net_value, in T from_host_value) {
    return is_network_port ? from_net_value : from_host_value;
}
