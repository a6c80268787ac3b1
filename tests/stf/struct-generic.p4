// Section "Type specialization" of P4_16 1.2.5.
// A struct and a header that take types are made for two of them.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<16> b;
    bit<8> r;
    bit<16> s;
}

struct two_t<T> {
    T first;
    T second;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        two_t<bit<8>> p = { hdr.h.a, 1 };
        two_t<bit<16>> q;
        q = { first = hdr.h.b, second = 2 };
        hdr.h.r = p.first + p.second;
        hdr.h.s = q.first + q.second;
    }
}

#include "include/switch.p4"
