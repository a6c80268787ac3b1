// Sections "Invoking controls" and "Stateful elements" of P4_16 1.2.5.
// A control that is made twice has two registers; one instance that is applied twice has one.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> r;
    bit<8> s;
    bit<8> t;
}

control Count(out bit<8> result) {
    register<bit<8>>(1) cell;
    apply {
        cell.read(result, 0);
        result = result + 1;
        cell.write(0, result);
    }
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    Count() one;
    Count() two;

    apply {
        one.apply(hdr.h.r);
        two.apply(hdr.h.s);
        one.apply(hdr.h.t);
    }
}

#include "include/switch.p4"
