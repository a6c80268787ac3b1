// Section "Architecture" of P4_16 1.2.5: what leaves where is the architecture's business; here `hardpath_nic.p4`.
// The verdicts for a NIC: back out, to another interface, and nowhere.
#include <core.p4>
#include <hardpath_nic.p4>

header data_t {
    bit<8> kind;
    bit<8> to;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, in nic_parser_input_metadata_t istd) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Process(inout headers_t hdr, inout meta_t meta, in nic_input_metadata_t istd, inout nic_output_metadata_t ostd) {
    apply {
        if (istd.parser_error != error.NoError) {
            nic_drop(ostd);
            return;
        }
        switch (hdr.h.kind) {
            0: { nic_tx(ostd); }
            1: { nic_redirect(ostd, (bit<32>)hdr.h.to); }
            2: { nic_drop(ostd); }
            default: { nic_abort(ostd); }
        }
        hdr.h.kind = 0xaa;
    }
}

control Deparse(packet_out packet, in headers_t hdr, in meta_t meta) {
    apply {
        packet.emit(hdr);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
