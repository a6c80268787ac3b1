// Section "Checksums" of PSA 1.2.
// A checksum is that of all bytes that it was updated with, one behind the other, also where that depends on the packet.
#include <core.p4>
#include <psa.p4>

header data_t {
    bit<72> digits;
    bit<8> more;
    bit<32> crc32;
    bit<16> crc16;
    bit<16> sum;
    bit<16> last;
}

struct headers_t {
    data_t h;
}
struct meta_t {}
struct empty_t {}

#define HAS_PARSE
parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, in psa_ingress_parser_input_metadata_t istd, in empty_t resubmitted,
             in empty_t recirculated) {
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) sum;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.IDENTITY) last;
    state start {
        packet.extract(hdr.h);
        crc32.update(hdr.h.digits[71:40]);
        crc16.update(hdr.h.digits[71:40]);
        sum.update(hdr.h.digits[71:48]);
        last.update(hdr.h.digits);
        transition select(hdr.h.more) {
            0: sums;
            1: rest;
            2: cleared;
        }
    }
    state cleared {
        crc32.clear();
        crc16.clear();
        sum.clear();
        last.clear();
        transition rest;
    }
    state rest {
        crc32.update(hdr.h.digits[39:0]);
        crc16.update({ hdr.h.digits[39:32], hdr.h.digits[31:0] });
        sum.update(hdr.h.digits[47:0]);
        last.update(hdr.h.more);
        transition sums;
    }
    state sums {
        hdr.h.crc32 = crc32.get();
        hdr.h.crc16 = crc16.get();
        hdr.h.sum = sum.get();
        hdr.h.last = last.get();
        transition accept;
    }
}

control Receive(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd) {
    apply {
        send_to_port(ostd, (PortId_t)(PortIdUint_t)2);
    }
}

#include "include/psa.p4"
