// Section "Switch statement" of P4_16 1.2.5.
// A switch in an action, and one in another one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action choose() {
        switch (hdr.h.a) {
            1: {
                switch (hdr.h.b) {
                    1: { hdr.h.r = 11; }
                    default: { hdr.h.r = 12; }
                }
            }
            2: { hdr.h.r = 20; }
        }
    }

    apply {
        choose();
    }
}

#include "include/switch.p4"
