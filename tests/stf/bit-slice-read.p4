// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// A slice has the bits from the lower to the higher one, both included; bit 0 is the least significant one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<24> a;
    bit<5> high;
    bit<7> middle;
    bit<4> low;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.high = hdr.h.a[23:19];
        hdr.h.middle = hdr.h.a[14:8];
        hdr.h.low = hdr.h.a[3:0];
    }
}

#include "include/switch.p4"
