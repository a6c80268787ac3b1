// Section "Preprocessing" of P4_16 1.2.5.
// Macros with and without parameters, and conditions on them.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

#define LEVEL 3
#define DOUBLE(x) ((x) << 1)

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        #if LEVEL > 2 && defined(LEVEL)
        hdr.h.r = DOUBLE(hdr.h.a + 1);
        #else
        hdr.h.r = 0xff;
        #endif
        #ifndef LEVEL
        hdr.h.r = 0xee;
        #endif
    }
}

#include "include/switch.p4"
