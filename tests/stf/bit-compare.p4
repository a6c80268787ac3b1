// Section "Operations on fixed-width bit types (unsigned integers)" of P4_16 1.2.5.
// Comparisons of bit strings are unsigned: the highest bit is no sign.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<13> a;
    bit<13> b;
    bit<1> lt;
    bit<1> le;
    bit<1> gt;
    bit<1> ge;
    bit<1> eq;
    bit<1> ne;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.lt = (bit<1>)(hdr.h.a < hdr.h.b);
        hdr.h.le = (bit<1>)(hdr.h.a <= hdr.h.b);
        hdr.h.gt = (bit<1>)(hdr.h.a > hdr.h.b);
        hdr.h.ge = (bit<1>)(hdr.h.a >= hdr.h.b);
        hdr.h.eq = (bit<1>)(hdr.h.a == hdr.h.b);
        hdr.h.ne = (bit<1>)(hdr.h.a != hdr.h.b);
    }
}

#include "include/switch.p4"
