// Section "Ingress Deparser" of PSA 1.2, and what its psa.p4 says of these functions.
// A deparser asks what becomes of the packet: what it gives along with one that goes on normally is there behind the queue.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<8> a;
    bit<8> r;
}

struct headers_t {
    data_t h;
}
struct meta_t {}
struct empty_t {}
struct normal_t {
    bit<8> value;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd, in empty_t resubmitted,
             in empty_t recirculated) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    apply {
        if (hdr.h.a != 0) {
            send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
        }
    }
}
control Deparse(packet_out packet, out empty_t cloned, out empty_t resubmitted, out normal_t normal, inout headers_t hdr, in meta_t meta,
                in psa_ingress_output_metadata_t istd) {
    apply {
        if (psa_normal(istd) && !psa_clone_i2e(istd) && !psa_resubmit(istd)) {
            normal.value = hdr.h.a + 1;
        }
        packet.emit(hdr);
    }
}
parser ParseAgain(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_egress_parser_input_metadata_t istd, in normal_t normal,
                  in empty_t cloned_in, in empty_t cloned_out) {
    state start {
        packet.extract(hdr.h);
        hdr.h.r = normal.value;
        transition accept;
    }
}
control Send(inout headers_t hdr, inout meta_t meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd) {
    apply {}
}
control DeparseAgain(packet_out packet, out empty_t cloned, out empty_t recirculated, inout headers_t hdr, in meta_t meta,
                     in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    apply {
        if (!psa_clone_e2e(istd) && !psa_recirculate(istd, edstd)) {
            packet.emit(hdr);
        }
    }
}
PSA_Switch(IngressPipeline(Parse(), Receive(), Deparse()), PacketReplicationEngine(),
           EgressPipeline(ParseAgain(), Send(), DeparseAgain()), BufferingQueueingEngine()) main;
