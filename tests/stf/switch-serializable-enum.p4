// Section "Switch statement with integer or enumerated type expression" of P4_16 1.2.5.
// A switch on a field that is an enum with an underlying type.
#include <core.p4>
#include <v1model.p4>

enum bit<8> kind_t { ONE = 1, TWO = 2, TEN = 10 }

header data_t {
    kind_t a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        switch (hdr.h.a) {
            kind_t.ONE: { hdr.h.r = 10; }
            kind_t.TEN:
            kind_t.TWO: { hdr.h.r = 20; }
        }
    }
}

#include "include/switch.p4"
