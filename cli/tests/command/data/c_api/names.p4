// Names that are no names in C, or become the same ones there.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> long;
    bit<8> class;
    bit<8> priority;
    bit<8> r;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser Parse(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t std
) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Own(inout headers_t hdr) {
    @name("*/ int")
    action switch_(bit<8> class, bit<8> long) {
        hdr.h.r = class + long;
    }

    action nothing() {
        hdr.h.r = 1;
    }

    action keep() {}

    @name("a")
    table first {
        key = {
            hdr.h.long: exact @name("x.y");
            hdr.h.class: exact @name("x_y");
            hdr.h.priority: exact @name("struct");
        }
        actions = {
            switch_;
            nothing;
            keep;
        }
    }

    @name("a_add")
    table second {
        key = {
            hdr.h.long: ternary @name("priority");
            hdr.h.class: range @name("x");
            hdr.h.priority: ternary @name("x_low");
        }
        actions = {
            switch_;
            @name("keep")
            keep;
        }
    }

    @name("a_count")
    register<bit<8>>(2) cells;

    apply {
        first.apply();
        second.apply();
        bit<8> held;
        cells.read(held, (bit<32>)hdr.h.r[0:0]);
        hdr.h.r = hdr.h.r + held;
    }
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    @name("map")
    Own() one;
    @name("map.")
    Own() other;

    apply {
        one.apply(hdr);
        other.apply(hdr);
        std.egress_spec = 1;
    }
}

control Send(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
