// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A parser, a control and a deparser in a row, with the names, types and parameters that users of VitisNetP4 know (AMD's user guide UG1308,
// version 2025.1).

#ifndef XSA_P4
#define XSA_P4

#include <core.p4>

// With those of core.p4: the parser would go through more states than it may.
error {
    HeaderDepthLimitExceeded
}

match_kind {
    range,
    // A mask as of ternary, that is the same for all entries of a field or leaves all of it out.
    field_mask,
    // It is part of the key's layout, and matches always.
    unused
}

// "Standard Metadata" of the guide.
struct standard_metadata_t {
    // At first 0; what is 1 when the deparser begins is dropped.
    bit<1>  drop;
    // When the packet came in, in clocks since the start.
    bit<64> ingress_timestamp;
    // Bytes of headers that the parser has taken so far; behind it, where the payload begins.
    bit<16> parsed_bytes;
    // What the parser ended with.
    error   parser_error;
}

enum CounterType_t {
    PACKETS,
    BYTES,
    // The upper 29 bits of 64 count packets, the lower 35 bytes.
    PACKETS_AND_BYTES
}

// It stays at its largest value. Programs cannot read it.
@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, CounterType_t type);
    void count(in S index);
}

enum HashAlgorithm_t {
    CRC32,
    CRC16,
    // RFC 1071, of data in 16-bit words.
    ONES_COMPLEMENT16
}

// Of all data at once.
extern Checksum<H> {
    Checksum(HashAlgorithm_t hash);
    void apply<T, W>(in T data, out W result);
}

// RFC 1071; what is subtracted is as if it had never been added (RFC 1624).
extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    void get<W>(out W result);
}

// One read and behind it one write of the same place for each packet; no other packet comes between them.
extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in S index);
    void write(in S index, in T value);
}

// A user's own hardware, which answers after so many clocks. It is declared here, so that programs can be read; who runs one must have what
// stands behind it.
extern UserExtern<I, O> {
    UserExtern(bit<16> fixed_latency_in_cycles);
    void apply(in I data_in, out O result);
}

parser Parser<H, M>(
    packet_in b,
    out H hdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

control MatchAction<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

@deparser
control Deparser<H, M>(
    packet_out b,
    in H hdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

package XilinxPipeline<H, M>(Parser<H, M> p, MatchAction<H, M> ma, Deparser<H, M> dep);

#endif
