// Section "Transition statements" of P4_16 1.2.5.
// A state goes round without reading on, as often as the packet says, or as a variable does that counts. Where it has gone back 64 times,
// it ends with an error that core.p4 has for that.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
}
header result_t {
    bit<8> code;
    bit<16> more;
}

struct headers_t {
    result_t r;
    data_t h;
}
struct meta_t {
    bit<16> sum;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    bit<8> left;
    bit<8> rounds = 0;
    state start {
        packet.extract(hdr.h);
        left = hdr.h.a;
        meta.sum = 0;
        transition count;
    }
    state count {
        rounds = rounds + 1;
        meta.sum = meta.sum + (bit<16>) hdr.h.b;
        transition select(rounds) {
            3: check;
            default: count;
        }
    }
    state check {
        transition select(left) {
            0: accept;
            default: add;
        }
    }
    state add {
        meta.sum = meta.sum + (bit<16>) left;
        left = left - 1;
        transition check;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.ParserTimeout) { hdr.r.code = 6; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
        hdr.r.more = meta.sum;
    }
}

#include "include/switch.p4"
