// Sections "Operations on error types" and "The error type" of P4_16 1.2.5.
// Errors of the core library and of the program are assigned and compared.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

error { Strange, Other }

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        error e = error.NoError;
        if (hdr.h.a == 1) { e = error.Strange; }
        if (hdr.h.a == 2) { e = error.NoMatch; }
        if (e == error.Strange) { hdr.h.r = 1; }
        else if (e != error.NoError) { hdr.h.r = 2; }
        else { hdr.h.r = 3; }
    }
}

#include "include/switch.p4"
