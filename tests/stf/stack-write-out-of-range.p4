// Section "Reading uninitialized values and writing fields of invalid headers" of P4_16 1.2.5.
// A write to an element behind the end of a stack, with a number known only at run time, changes nothing that is defined.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> i;
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
        hdr.s[hdr.h.i].value = 0x7f;
        hdr.s[hdr.h.i].last = 1;
    }
}

#include "include/switch.p4"
