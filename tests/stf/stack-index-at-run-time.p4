// Section "Operations on header stacks" of P4_16 1.2.5.
// An element is chosen by a number that is known only at run time, to be read and to be written.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> i;
    bit<8> r;
}

header label_t {
    bit<7> value;
    bit<1> last;
}

struct headers_t {
    data_t h;
    label_t[3] s;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition labels;
    }
    state labels {
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.last) {
            0: labels;
            1: accept;
        }
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (bit<8>)hdr.s[hdr.h.i].value;
        hdr.s[hdr.h.i].value = hdr.h.a[6:0];
    }
}

#include "include/switch.p4"
