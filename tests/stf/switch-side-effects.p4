// Section "Notes common to all switch statements" of P4_16 1.2.5.
// The expression of a switch is evaluated once, and what it changes is seen in the cases.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

bit<8> bump(inout bit<8> n) {
    n = n + 1;
    return n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        switch (bump(hdr.h.a)) {
            6: { hdr.h.r = hdr.h.a; }
            7: { hdr.h.r = bump(hdr.h.a); }
        }
    }
}

#include "include/switch.p4"
