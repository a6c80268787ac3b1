// Section "Extern functions" of P4_16 1.2.5.
// v1model: truncate cuts off what is behind so many bytes of the packet that leaves; a shorter packet stays as it is.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> n;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        truncate((bit<32>)hdr.h.n);
    }
}

#include "include/switch.p4"
