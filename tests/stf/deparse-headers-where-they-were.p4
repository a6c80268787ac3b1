// Section "Packet deparsing" of P4_16 1.2.5.
// Headers that were read last and are emitted last, as they were, and each way in which they are not: the first byte says what happens.
#include <core.p4>
#include <v1model.p4>

header first_t {
    bit<8> what;
    bit<8> more;
}

header two_t {
    bit<8> value;
    bit<8> next;
}

header text_t {
    bit<8> bytes;
    varbit<32> data;
}

struct headers_t {
    first_t first;
    two_t a;
    two_t[2] b;
    text_t text;
    two_t new;
}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.first);
        transition select(hdr.first.more) {
            0: accept;
            1: a;
            2: b;
            3: text;
            4: lost;
            5: again;
            default: accept;
        }
    }
    state a {
        packet.extract(hdr.a);
        transition select(hdr.a.next) {
            2: b;
            3: text;
            4: lost;
            default: accept;
        }
    }
    state b {
        packet.extract(hdr.b.next);
        transition select(hdr.b.last.next) {
            2: b;
            3: text;
            default: accept;
        }
    }
    // Two bytes that nobody has, and what is behind them.
    state lost {
        packet.advance(16);
        transition text;
    }
    // The header that was read first is forgotten.
    state again {
        packet.extract(hdr.a);
        packet.extract(hdr.a);
        transition accept;
    }
    state text {
        bit<32> bytes = (bit<32>)packet.lookahead<bit<8>>();
        packet.extract(hdr.text, bytes * 8);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Receive(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        switch (hdr.first.what) {
            // Nothing, or the first header alone changes.
            0: {}
            1: { hdr.first.what = 0xff; }
            // One in the middle is taken away; the last one.
            2: { hdr.a.setInvalid(); }
            3: { hdr.text.setInvalid(); }
            // A new one in front of the last one, and a copy in its place.
            4: { hdr.new.setValid(); hdr.new.value = 0xaa; hdr.new.next = 0xbb; }
            5: { hdr.b.push_front(1); hdr.b[0] = { 0xcc, 0xdd }; }
            6: { hdr.b.pop_front(1); }
            // The last one changes, and changes back.
            7: { hdr.b[1].value = hdr.b[1].value + 1; }
            8: { hdr.a.value = hdr.a.value + 1; hdr.a.value = hdr.a.value - 1; }
            // Two change places.
            10: { two_t one = hdr.a; hdr.a = hdr.b[0]; hdr.b[0] = one; }
            11: { mark_to_drop(std); }
            // Only on one way.
            12: { if (hdr.b[0].isValid()) { hdr.b[0].value = 0x11; } }
            default: {}
        }
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
        packet.emit(hdr.first);
        packet.emit(hdr.a);
        packet.emit(hdr.new);
        packet.emit(hdr.b);
        packet.emit(hdr.text);
    }
}

V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
