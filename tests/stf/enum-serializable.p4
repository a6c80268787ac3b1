// Sections "Operations on enum types" and "Enumeration types" of P4_16 1.2.5.
// A header has a field of an enum with an underlying type, whose members are its values in the packet.
#include <core.p4>
#include <v1model.p4>

enum bit<16> kind_t {
    VLAN = 0x8100,
    IPV4 = 0x0800,
    IPV6 = 0x86dd
}

header data_t {
    kind_t kind;
    bit<8> r;
    bit<8> rest;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.kind == kind_t.IPV4) { hdr.h.r = 4; hdr.h.kind = kind_t.IPV6; }
        else if (hdr.h.kind == kind_t.VLAN) { hdr.h.r = 1; }
        else { hdr.h.r = 0; }
    }
}

#include "include/switch.p4"
