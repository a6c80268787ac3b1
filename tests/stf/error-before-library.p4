// Section "Error type" of P4_16 1.2.5: what is no error is what errors are at first.
// v1model: a program that declares errors in front of the library's.
error {
    TooShort,
    Other
}

#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    error before;

    apply {
        hdr.h.r = 0;
        if (std.parser_error != error.NoError) {
            hdr.h.r = 1;
        }
        before = std.parser_error;
        if (before == error.TooShort) {
            hdr.h.r = 2;
        }
    }
}

#include "include/switch.p4"
