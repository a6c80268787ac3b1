// Section "Extern functions" of P4_16 1.2.5.
// v1model: csum16 is the complement of the sum in ones' complement of words of 16 bits, as in IPv4.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<16> a;
    bit<32> b;
    bit<16> c;
    bit<32> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hash(hdr.h.r, HashAlgorithm.csum16, 32w0, { hdr.h.a, hdr.h.b, hdr.h.c }, 32w0x10000);
    }
}

#include "include/switch.p4"
