// Section "Architecture" of P4_16 1.2.5: what externs do is the architecture's business; here `ubpf_model.p4`.
// A packet is cut before its headers are written over what was read; one for which there is no room stays as it came.
#include <core.p4>
#include <ubpf_model.p4>

header first_t {
    bit<8> most;
    bit<8> a;
}
header second_t {
    bit<16> b;
}

struct headers_t {
    first_t first;
    second_t second;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata std) {
    state start {
        packet.extract(hdr.first);
        packet.extract(hdr.second);
        transition accept;
    }
}

control Process(inout headers_t hdr, inout meta_t meta, inout standard_metadata std) {
    apply {
        if (hdr.first.most != 0) {
            truncate((bit<32>)hdr.first.most);
        }
        hdr.first.a = 0xaa;
        hdr.second.b = 0xbbbb;
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.first);
        packet.emit(hdr.second);
    }
}

ubpf(Parse(), Process(), Deparse()) main;
