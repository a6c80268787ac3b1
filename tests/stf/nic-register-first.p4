// Section "Register" of the PSA specification, in hardpath's architecture for a NIC.
// A register begins with a number, and with zeros where none is given; each packet sees what those before it have written.
#include <core.p4>
#include <hardpath_nic.p4>

header data_t {
    bit<8> by;
    bit<32> sum;
    bit<16> count;
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
    Register<bit<32>, bit<8>>(1, 0x01020304) sums;
    Register<bit<16>, bit<8>>(4, 0) counts;
    apply {
        bit<8> cell = hdr.h.by & 3;
        hdr.h.sum = sums.read(0) + (bit<32>)hdr.h.by;
        sums.write(0, hdr.h.sum);
        hdr.h.count = counts.read(cell) + 1;
        counts.write(cell, hdr.h.count);
        nic_tx(ostd);
    }
}

control Deparse(packet_out packet, in headers_t hdr, in meta_t meta) {
    apply {
        packet.emit(hdr);
    }
}

HardpathNic(Parse(), Process(), Deparse()) main;
