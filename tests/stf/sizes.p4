// Section "Compile-time size determination" of P4_16 1.2.5.
// minSizeInBits, minSizeInBytes and the largest sizes of headers and structs are constants.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
    bit<8> u;
}

header options_t {
    bit<8> kind;
    varbit<32> data;
}

struct headers_t {
    data_t h;
    options_t o;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = (bit<8>)hdr.h.minSizeInBits();
        hdr.h.s = (bit<8>)hdr.h.minSizeInBytes();
        hdr.h.t = (bit<8>)hdr.o.minSizeInBits();
        hdr.h.u = (bit<8>)hdr.o.maxSizeInBits();
    }
}

#include "include/switch.p4"
