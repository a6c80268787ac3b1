// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable NIC Architecture, version 0.7, with the widths that BMv2's pna_nic has: no control in front of the main parser, and whether
// a port is one of the host instead of a direction. Linux' variant for tc has more externs (tc/pna.p4).

#ifndef PNA_P4
#define PNA_P4

#include <core.p4>

// What tables have as pna_idle_timeout.
enum PNA_IdleTimeout_t {
    NO_TIMEOUT,
    NOTIFY_CONTROL,
    AUTO_DELETE
}

enum PNA_HashAlgorithm_t {
    IDENTITY,
    CRC32,
    CRC32_CUSTOM,
    CRC16,
    CRC16_CUSTOM,
    ONES_COMPLEMENT16,
    TARGET_DEFAULT
}

#include <pna_common.p4>

#undef PNA_CONVERSIONS

@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, PNA_CounterType_t type);
    void count(in S index);
}

@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(PNA_CounterType_t type);
    void count();
}

// RFC 2698, with the colour that a packet has already, or green.
extern Meter<S> {
    Meter(bit<32> n_meters, PNA_MeterType_t type);
    PNA_MeterColor_t execute(in S index, in PNA_MeterColor_t color);
    PNA_MeterColor_t execute(in S index);
}

extern DirectMeter {
    DirectMeter(PNA_MeterType_t type);
    PNA_MeterColor_t execute(in PNA_MeterColor_t color);
    PNA_MeterColor_t execute();
}

// Where a packet came from.
enum PNA_Source_t {
    FROM_HOST,
    FROM_NET
}

struct pna_main_parser_input_metadata_t {
    // It has come through already.
    bool     recirculated;
    // Where it came in, a port of the network or of the host.
    PortId_t input_port;
}

extern bool is_host_port(in PortId_t p);
extern bool is_net_port(in PortId_t p);

struct pna_main_input_metadata_t {
    bool             recirculated;
#ifdef PNA_TC
    // It shall come in again.
    bool             recirculate;
#endif
    // When it came in.
    Timestamp_t      timestamp;
    // What the main parser ended with.
    ParserError_t    parser_error;
    ClassOfService_t class_of_service;
    PortId_t         input_port;
}

// At first class 0.
struct pna_main_output_metadata_t {
    ClassOfService_t class_of_service;
}

extern void send_to_port(in PortId_t dest_port);
// A copy as the packet leaves, too.
extern void mirror_packet(in MirrorSlotId_t mirror_slot_id, in MirrorSessionId_t mirror_session_id);

// Whether an entry was made; devices can have further numbers for why not.
typedef bit<1> AddEntryErrorStatus_t;
const AddEntryErrorStatus_t ADD_ENTRY_SUCCESS = 0;
const AddEntryErrorStatus_t ADD_ENTRY_NOT_DONE = 1;

// In the default action of a table with add_on_miss: the key that was not found gets an entry with this action, whose parameters are the
// fields of a struct.
extern AddEntryErrorStatus_t add_entry<T>(
    string action_name,
    in T action_params,
    in ExpireTimeProfileId_t expire_time_profile_id);
// The same if something holds; else ADD_ENTRY_NOT_DONE.
extern AddEntryErrorStatus_t add_entry_if<T>(
    in bool do_add_entry,
    string action_name,
    in T action_params,
    in ExpireTimeProfileId_t expire_time_profile_id);

// If the first holds: set_entry_expire_time if the second does, restart_expire_timer if not.
extern void update_expire_info(
    in bool update_aging_info,
    in bool update_expire_time,
    in ExpireTimeProfileId_t expire_time_profile_id);
extern void set_entry_expire_time_if(
    in bool condition,
    in ExpireTimeProfileId_t expire_time_profile_id);

// The one value or the other: so one table serves both directions of a flow.
@pure
extern T SelectByDirection<T>(in bool is_network_port, in T from_net_value, in T from_host_value);

#ifdef PNA_TC
// What Linux keeps of a packet beside its bytes (struct sk_buff): read into the program's copy, and written back, as a whole.
extern void skb_get_meta();
extern void skb_set_meta();
extern bit<64> skb_get_tstamp();
extern bit<32> skb_get_mark();
extern bit<16> skb_get_tc_classid();
extern bit<16> skb_get_tc_index();
extern bit<16> skb_get_queue_mapping();
extern bit<16> skb_get_protocol();
extern bit<1> skb_get_tc_at_ingress();
extern bit<1> skb_get_from_ingress();
extern void skb_set_tstamp(in bit<64> dummy);
extern void skb_set_mark(in bit<32> dummy);
extern void skb_set_tc_classid(in bit<16> dummy);
extern void skb_set_tc_index(in bit<16> dummy);
extern void skb_set_queue_mapping(in bit<16> dummy);
extern void skb_set_protocol(in bit<16> dummy);
#endif

parser MainParserT<MH, MM>(
    packet_in pkt,
    out MH main_hdr,
    inout MM main_user_meta,
    in pna_main_parser_input_metadata_t istd);

control MainControlT<MH, MM>(
    inout MH main_hdr,
    inout MM main_user_meta,
    in pna_main_input_metadata_t istd,
    inout pna_main_output_metadata_t ostd);

control MainDeparserT<MH, MM>(
    packet_out pkt,
    inout MH main_hdr,
    in MM main_user_meta,
    in pna_main_output_metadata_t ostd);

package PNA_NIC<MH, MM>(
    MainParserT<MH, MM> main_parser,
    MainControlT<MH, MM> main_control,
    MainDeparserT<MH, MM> main_deparser);

#endif
