// Sections "Invoking controls" and "Calling convention: call by copy in/copy out" of P4_16 1.2.5.
// A control is applied twice by one instance: its parameters are copied in and out each time.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<8> r;
}

control Add(in bit<8> x, in bit<8> y, out bit<8> sum) {
    apply {
        sum = x + y;
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Add() add;

    apply {
        add.apply(hdr.h.a, hdr.h.b, hdr.h.r);
        add.apply(hdr.h.r, hdr.h.r, hdr.h.a);
    }
}

#include "include/switch.p4"
