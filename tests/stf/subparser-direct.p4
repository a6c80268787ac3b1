// Section "Direct type invocation" of P4_16 1.2.5.
// A parser without constructor parameters is applied by its type.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header extra_t {
    bit<16> x;
}
parser Inner(packet_in packet, out extra_t x, inout bit<8> count) {
    state start {
        count = count + 1;
        packet.extract(x);
        transition select(x.x) {
            0: reject;
            1: nothing;
            default: accept;
        }
    }
    state nothing {
        transition select(x.x) {
            0: accept;
        }
    }
}

struct headers_t {
    result_t r;
    data_t h;
    extra_t x;
}
struct meta_t {
    bit<8> count;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.count = 0;
        Inner.apply(packet, hdr.x, meta.count);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.NoMatch) { hdr.r.code = 2; }
        else if (std.parser_error == error.StackOutOfBounds) { hdr.r.code = 3; }
        else if (std.parser_error == error.HeaderTooShort) { hdr.r.code = 4; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
        hdr.r.more = meta.count;
    }
}

#include "include/switch.p4"
