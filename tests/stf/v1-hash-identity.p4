// Section "Extern functions" of P4_16 1.2.5.
// v1model: the identity gives the data themselves, as a number.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<16> b;
    bit<8> c;
    bit<32> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hash(hdr.h.r, HashAlgorithm.identity, 32w0, { hdr.h.a, hdr.h.b, hdr.h.c }, 64w0x100000000);
    }
}

#include "include/switch.p4"
