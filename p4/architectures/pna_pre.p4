// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable NIC Architecture with a control in front of the main parser, which sees no headers: nothing has parsed any.

@hardpath_package("PNA_NIC")
control hardpath_pna<PH, PM, MH, MM>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (MainParserT<MH, MM> main_parser, PreControlT<PH, PM> pre_control, MainControlT<MH, MM> main_control,
     MainDeparserT<MH, MM> main_deparser)
{
    PH pre_headers;
    PM pre_meta;
    MH headers;
    MM meta;
    pna_pre_input_metadata_t pre_in;
    pna_pre_output_metadata_t pre_out;
    pna_main_parser_input_metadata_t parser_in;
    pna_main_input_metadata_t main_in;
    pna_main_output_metadata_t main_out;

    apply {
        pre_in.input_port = (PortId_t)(PortIdUint_t)arrival.port;
        pre_in.parser_error = error.NoError;
        pre_in.direction = PNA_Direction_t.NET_TO_HOST;
        pre_in.pass = (PassNumber_t)0;
        pre_in.loopedback = false;
        pre_out.decrypt = false;
        pre_control.apply(pre_headers, pre_meta, pre_in, pre_out);
        if (pre_out.decrypt) {
            hardpath_refuse("decryption");
        }

        parser_in.direction = PNA_Direction_t.NET_TO_HOST;
        parser_in.pass = pre_in.pass;
        parser_in.loopedback = false;
        parser_in.input_port = pre_in.input_port;
        main_in.direction = PNA_Direction_t.NET_TO_HOST;
        main_in.pass = pre_in.pass;
        main_in.loopedback = false;
        main_in.timestamp = (Timestamp_t)(TimestampUint_t)arrival.time;
        main_in.input_port = pre_in.input_port;
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

@hardpath_extern("SelectByDirection")
T hardpath_select_by_direction<T>(in PNA_Direction_t direction, in T n2h_value, in T h2n_value) {
    return direction == PNA_Direction_t.NET_TO_HOST ? n2h_value : h2n_value;
}
