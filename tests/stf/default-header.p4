// Section "Initializing with default values" of P4_16 1.2.5.
// A header that is initialised with three dots alone is invalid; one of braces with three dots is valid, and has zeros.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
    bit<8> y;
}

struct headers_t {
    data_t h;
    extra_t first;
    extra_t second;
    extra_t third;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.first = ...;
        hdr.second = { ... };
        hdr.third = { y = hdr.h.a, ... };
    }
}

#include "include/switch.p4"
