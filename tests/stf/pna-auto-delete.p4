// Section: PNA 0.7, `pna_idle_timeout` with AUTO_DELETE: an entry that no packet finds for its time goes, and nobody is told.
#include <core.p4>
#include <bmv2/pna.p4>

header data_t {
    bit<16> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct empty_t {}

parser Parse(packet_in packet, out headers_t hdr, inout empty_t meta, in pna_main_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
control Receive(inout headers_t hdr, inout empty_t meta, in pna_main_input_metadata_t istd, inout pna_main_output_metadata_t ostd) {
    action known(bit<8> value) {
        hdr.h.r = value;
    }
    action unknown() {
        hdr.h.r = 0xff;
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { known; unknown; }
        const default_action = unknown();
        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;
        size = 2;
    }
    apply {
        t.apply();
        send_to_port((PortId_t)3);
    }
}
control Deparse(packet_out packet, inout headers_t hdr, in empty_t meta, in pna_main_output_metadata_t ostd) {
    apply {
        packet.emit(hdr);
    }
}
PNA_NIC(Parse(), Receive(), Deparse()) main;
