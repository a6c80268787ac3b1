// Section "Variable-width extraction" of P4_16 1.2.5.
// A length of 32 bits is given for two fields of up to 32 bits: what is more than that ends the parser, whatever its low bits are.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<32> size;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header options_t {
    varbit<32> data;
}

struct headers_t {
    result_t r;
    data_t h;
    options_t o;
    options_t p;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.o, hdr.h.size);
        packet.extract(hdr.p, hdr.h.size);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.r.code = 4; }
        else if (std.parser_error == error.ParserInvalidArgument) { hdr.r.code = 5; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 6; }
        if (hdr.o.isValid()) { hdr.r.more = 1; }
        if (hdr.p.isValid()) { hdr.r.more = hdr.r.more + 2; }
    }
}

#include "include/switch.p4"
