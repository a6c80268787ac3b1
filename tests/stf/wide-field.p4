// Section "Fixed-width extraction" of P4_16 1.2.5.
// A field of 512 bits is extracted, changed and emitted.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<512> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = hdr.h.a[511:504];
        hdr.h.a = (hdr.h.a << 8) + 0x55;
    }
}

#include "include/switch.p4"
