// Section "Architecture" of P4_16 1.2.5: what a result means is the architecture's business; here `ebpf_model.p4`.
// A filter says whether a packet goes on, and nothing of it changes.
#include <core.p4>
#include <ebpf_model.p4>

header data_t {
    bit<8> kind;
    bit<8> value;
}

struct headers_t {
    data_t h;
}

parser Parse(packet_in packet, out headers_t hdr) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Filter(inout headers_t hdr, out bool accept) {
    action refuse() {
        accept = false;
    }
    action take() {}
    table values {
        key = { hdr.h.value: exact; }
        actions = { take; refuse; }
        const default_action = refuse();
        implementation = hash_table(16);
    }
    apply {
        accept = true;
        if (hdr.h.kind == 1) {
            values.apply();
        }
        hdr.h.value = 0xff;
    }
}

ebpfFilter(Parse(), Filter()) main;
