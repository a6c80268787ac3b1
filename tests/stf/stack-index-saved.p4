// Section "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// Which element an inout argument is, is settled before the call: what the call does to the index changes nothing of it.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> i;
    bit<8> r;
}

header label_t {
    bit<7> value;
    bit<1> last;
}

bit<8> change(inout bit<7> value, inout bit<8> index) {
    index = index + 1;
    value = value + 16;
    return index;
}

struct headers_t {
    data_t h;
    label_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = change(hdr.s[hdr.h.i].value, hdr.h.i);
    }
}

#include "include/switch.p4"
