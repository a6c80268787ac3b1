// What a test does not have itself: controls that do nothing, a deparser that emits all headers in the order of their struct, and main.
#ifndef HAS_VERIFY
control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {}
}
#endif
#ifndef HAS_SEND
control Send(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {}
}
#endif
#ifndef HAS_COMPUTE
control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {}
}
#endif
#ifndef HAS_DEPARSE
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
#endif
V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;
