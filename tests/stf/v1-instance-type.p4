// Section "Data plane interfaces" of P4_16 1.2.5.
// v1model: a packet that came from a port has the instance type 0, no parser error and no checksum error.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}

#include "include/parse.p4"

control Receive(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        hdr.h.r = 0;
        if (std.instance_type == 0) { hdr.h.r[0:0] = 1; }
        if (std.parser_error == error.NoError) { hdr.h.r[1:1] = 1; }
        if (std.checksum_error == 0) { hdr.h.r[2:2] = 1; }
    }
}

#include "include/switch.p4"
