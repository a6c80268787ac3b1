// Sections "Operations on struct types" and "Data insertion into packets" of P4_16 1.2.5.
// Headers in a struct in the struct of headers are extracted, copied together and emitted in their order.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

header extra_t {
    bit<8> x;
    bit<8> y;
}

struct inner_t {
    extra_t one;
    extra_t two;
}

struct headers_t {
    inner_t inner;
    data_t h;
}
struct meta_t {}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.inner.one);
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.inner.two = hdr.inner.one;
        hdr.inner.one.x = 0;
    }
}

#include "include/switch.p4"
