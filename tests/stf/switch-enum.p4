// Section "Switch statement with integer or enumerated type expression" of P4_16 1.2.5.
// A switch on an enum without an underlying type.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

enum color_t { RED, GREEN, BLUE }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        color_t color = color_t.BLUE;
        if (hdr.h.a == 1) { color = color_t.RED; }
        if (hdr.h.a == 2) { color = color_t.GREEN; }
        switch (color) {
            color_t.RED: { hdr.h.r = 10; }
            color_t.GREEN: { hdr.h.r = 20; }
            default: { hdr.h.r = 30; }
        }
    }
}

#include "include/switch.p4"
