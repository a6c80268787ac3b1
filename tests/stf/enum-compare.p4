// Section "Operations on enum types" of P4_16 1.2.5.
// Members of an enum without an underlying type are assigned and compared.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

enum Color { RED, GREEN, BLUE }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        Color color = Color.GREEN;
        if (hdr.h.a == 1) { color = Color.RED; }
        if (hdr.h.a == 2) { color = Color.BLUE; }
        Color other = color;
        if (other == Color.RED) { hdr.h.r = 10; }
        else if (other != Color.GREEN) { hdr.h.r = 20; }
        else { hdr.h.r = 30; }
    }
}

#include "include/switch.p4"
