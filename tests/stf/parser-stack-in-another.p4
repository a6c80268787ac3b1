// Sections "Invoking other parsers" and "Header stacks" of P4_16 1.2.5.
// A parser that is called takes the first items of a stack, and its caller goes round for the others.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header result_t {
    bit<8> code;
    bit<8> more;
}
header item_t {
    bit<8> last;
}

struct headers_t {
    result_t r;
    data_t h;
    item_t[4] items;
}
struct meta_t {}

parser First(packet_in packet, inout headers_t hdr, out bit<8> last) {
    state start {
        packet.extract(hdr.items.next);
        last = hdr.items.last.last;
        transition accept;
    }
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    First() first;
    bit<8> last;
    state start {
        packet.extract(hdr.h);
        first.apply(packet, hdr, last);
        transition select(last) {
            0: items;
            2: twice;
            default: accept;
        }
    }
    state twice {
        first.apply(packet, hdr, last);
        transition items;
    }
    state items {
        packet.extract(hdr.items.next);
        transition select(hdr.items.last.last) {
            0: items;
            default: accept;
        }
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.r = { 0, 0 };
        if (std.parser_error == error.PacketTooShort) { hdr.r.code = 1; }
        else if (std.parser_error == error.StackOutOfBounds) { hdr.r.code = 3; }
        else if (std.parser_error != error.NoError) { hdr.r.code = 5; }
        if (hdr.items[0].isValid()) { hdr.r.more = hdr.r.more + 1; }
        if (hdr.items[1].isValid()) { hdr.r.more = hdr.r.more + 1; }
        if (hdr.items[2].isValid()) { hdr.r.more = hdr.r.more + 1; }
        if (hdr.items[3].isValid()) { hdr.r.more = hdr.r.more + 1; }
    }
}

#include "include/switch.p4"
