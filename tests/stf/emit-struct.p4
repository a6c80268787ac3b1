// Section "Data insertion into packets" of P4_16 1.2.5.
// A struct is emitted field by field: headers, stacks and unions in the order of their declaration.
#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> v;
}
header word_t {
    bit<16> v;
}
header_union one_of_t {
    byte_t one;
    word_t two;
}

struct headers_t {
    byte_t[2] s;
    one_of_t u;
    byte_t b;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.b);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.u.two = { 0xabcd };
        hdr.s[1].setInvalid();
    }
}

#include "include/switch.p4"
