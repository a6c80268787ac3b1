// Section "Switch statement with integer or enumerated type expression" of P4_16 1.2.5.
// A switch on an error.
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
    apply {
        error e = error.NoError;
        if (hdr.h.a == 1) { e = error.NoMatch; }
        if (hdr.h.a == 2) { e = error.PacketTooShort; }
        switch (e) {
            error.NoMatch: { hdr.h.r = 1; }
            error.NoError: { hdr.h.r = 2; }
            default: { hdr.h.r = 3; }
        }
    }
}

#include "include/switch.p4"
