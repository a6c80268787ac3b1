// Section "Add-on-miss tables" of PNA 0.7, and what its pna.p4 says of add_entry.
// The default action adds an entry of the key that was not found; it is found by the next packet. Where there is one, or no room, none is made.
#include <core.p4>
#include <pna.p4>

header data_t {
    bit<16> a;
    bit<8> r;
    bit<8> added;
}

struct headers_t {
    data_t h;
}
struct empty_t {}
struct values_t {
    bit<8> value;
    bit<8> other;
}

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
    action known(bit<8> value, bit<8> other) {
        hdr.h.r = value + other;
    }
    action learn() {
        values_t values = { hdr.h.r, 1 };
        if (add_entry("known", values, (ExpireTimeProfileId_t)0)) {
            hdr.h.added = 1;
        }
    }
    table t {
        key = { hdr.h.a : exact; }
        actions = { known; @defaultonly learn; }
        const default_action = learn();
        add_on_miss = true;
        size = 2;
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
