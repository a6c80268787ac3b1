// Sections "Packet Path Figures" and "Direct counters" of PNA 0.7, and what its pna.p4 says of SelectByDirection.
// Packets come from the network: of two values the one for these is taken. A counter of a table counts where the action says so.
#include <core.p4>
#include <pna.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct empty_t {}

control Pre(in empty_t hdr, inout empty_t meta, in pna_pre_input_metadata_t istd, inout pna_pre_output_metadata_t ostd) {
    apply {}
}
parser Parse(packet_in packet, out headers_t hdr, inout empty_t meta, in pna_main_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
control Receive(inout headers_t hdr, inout empty_t meta, in pna_main_input_metadata_t istd, inout pna_main_output_metadata_t ostd) {
    DirectCounter<bit<32>>(PNA_CounterType_t.PACKETS) hits;
    action mark(bit<8> value) {
        hits.count(1);
        hdr.h.r = value;
    }
    table t {
        key = { SelectByDirection(istd.direction, hdr.h.a, hdr.h.b) : exact @name("address"); }
        actions = { mark; NoAction; }
        pna_direct_counter = hits;
    }
    apply {
        t.apply();
        send_to_port((PortId_t)(PortIdUint_t)3);
    }
}
control Deparse(packet_out packet, in headers_t hdr, in empty_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        packet.emit(hdr);
    }
}
PNA_NIC(Parse(), Pre(), Receive(), Deparse()) main;
