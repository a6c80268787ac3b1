// Section "Explicit casts" of P4_16 1.2.5.
// Casts between widths of bit strings cut off the high bits, or put zeros in front.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<12> a;
    bit<4> narrow;
    bit<24> wide;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.narrow = (bit<4>)hdr.h.a;
        hdr.h.wide = (bit<24>)hdr.h.a;
    }
}

#include "include/switch.p4"
