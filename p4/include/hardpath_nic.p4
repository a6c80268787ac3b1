// SPDX-License-Identifier: MIT OR Apache-2.0
//
// hardpath's own architecture: a bump in the wire between ports and a host, with XDP's verdicts.
//
//     packet ─► parser ─► control ─► deparser ─► dropped, to the host, back, or on to another interface
//
// A packet is an Ethernet frame without its check sequence, at most 9216 bytes; one that is too short for a header is for the parser to
// see. What the parser has not taken follows behind what the deparser emits. The control also runs for packets that the parser rejects; it sees why.

#ifndef HARDPATH_NIC_P4
#define HARDPATH_NIC_P4

#include <core.p4>

match_kind {
    range,
    // An exact value, or any.
    optional
}

// What becomes of a packet, in the order of the kernel's enum xdp_action. Packets are counted by it.
enum bit<3> NicVerdict_t {
    // Dropped, because something is wrong with the program.
    ABORTED = 0,
    // Dropped.
    DROP = 1,
    // To the host, into queue 0: its network stack.
    PASS = 2,
    // Out at the port where it came in.
    TX = 3,
    // Where the program says.
    REDIRECT = 4
}

// Which way REDIRECT is.
enum bit<1> NicTarget_t {
    // Out at the port of an interface.
    INTERFACE = 0,
    // To the host, into a queue.
    HOST_QUEUE = 1
}

// What a packet brings beside its bytes; it is the same for all of the program.
struct nic_parser_input_metadata_t {
    // The interface where it came in, as the design's port table numbers it; 0 where nobody has filled the table.
    bit<32> ingress_interface;
    // The receive queue, as the interface counts them: below 65536.
    bit<32> ingress_queue;
    // The interface that it is about to leave by, where the design stands on the way out; else 0.
    bit<32> egress_interface;
    // Bytes of it.
    bit<32> packet_length;
    // When it came in, in nanoseconds.
    bit<64> timestamp;
    // A random number of its own.
    bit<32> random;
}

struct nic_input_metadata_t {
    bit<32> ingress_interface;
    bit<32> ingress_queue;
    bit<32> egress_interface;
    bit<32> packet_length;
    bit<64> timestamp;
    bit<32> random;
    // What the parser ended with; NoError: it has accepted.
    error   parser_error;
}

// At first PASS, to interface 0.
struct nic_output_metadata_t {
    NicVerdict_t verdict;
    // Of REDIRECT: which way, and the number of the interface or queue.
    NicTarget_t  redirect_to;
    bit<32>      redirect_index;
}

@noWarn("unused")
action nic_abort(inout nic_output_metadata_t meta) {
    meta.verdict = NicVerdict_t.ABORTED;
}

@noWarn("unused")
action nic_drop(inout nic_output_metadata_t meta) {
    meta.verdict = NicVerdict_t.DROP;
}

@noWarn("unused")
action nic_pass(inout nic_output_metadata_t meta) {
    meta.verdict = NicVerdict_t.PASS;
}

@noWarn("unused")
action nic_tx(inout nic_output_metadata_t meta) {
    meta.verdict = NicVerdict_t.TX;
}

@noWarn("unused")
action nic_redirect(inout nic_output_metadata_t meta, in bit<32> interface) {
    meta.verdict = NicVerdict_t.REDIRECT;
    meta.redirect_to = NicTarget_t.INTERFACE;
    meta.redirect_index = interface;
}

@noWarn("unused")
action nic_redirect_to_queue(inout nic_output_metadata_t meta, in bit<32> queue) {
    meta.verdict = NicVerdict_t.REDIRECT;
    meta.redirect_to = NicTarget_t.HOST_QUEUE;
    meta.redirect_index = queue;
}

enum NicCounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

// The host reads them. Bytes are those of the packet as it came in.
@noWarn("unused")
extern Counter<W, S> {
    Counter(bit<32> n_counters, NicCounterType_t type);
    void count(in S index);
}

// One for each entry of the table that has it as nic_direct_counter.
@noWarn("unused")
extern DirectCounter<W> {
    DirectCounter(NicCounterType_t type);
    void count();
}

// What a program keeps from packet to packet. Each packet sees what all packets before it have written.
extern Register<T, S> {
    // At first zeros.
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    @noSideEffects
    T read(in S index);
    void write(in S index, in T value);
}

enum NicHashAlgorithm_t {
    // The lowest bits of the data.
    IDENTITY,
    // Polynomial 0x8005, as of ARC.
    CRC16,
    // Polynomial 0x04c11db7, as of Ethernet.
    CRC32,
    // RFC 1071, of data in 16-bit words.
    ONES_COMPLEMENT16
}

// No packet brings a hash; programs compute what they need.
extern Hash<O> {
    Hash(NicHashAlgorithm_t algo);
    @pure
    O get_hash<D>(in D data);
    // base + hash % max.
    @pure
    O get_hash<T, D>(in T base, in D data, in T max);
}

extern Checksum<W> {
    Checksum(NicHashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    @noSideEffects
    W get();
}

// RFC 1071; what is subtracted is as if it had never been added (RFC 1624).
extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    @noSideEffects
    bit<16> get();
    // What set_state of any InternetChecksum goes on from.
    @noSideEffects
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

// From min to max, both included: another number with each read.
extern Random<T> {
    Random(T min, T max);
    T read();
}

// To the host, beside the packet.
extern Digest<T> {
    Digest();
    void pack(in T data);
}

parser NicParser<H, M>(
    packet_in packet,
    out H headers,
    inout M user_meta,
    in nic_parser_input_metadata_t istd);

control NicControl<H, M>(
    inout H headers,
    inout M user_meta,
    in nic_input_metadata_t istd,
    inout nic_output_metadata_t ostd);

@deparser
control NicDeparser<H, M>(packet_out packet, in H headers, in M user_meta);

package HardpathNic<H, M>(
    NicParser<H, M> parse,
    NicControl<H, M> process,
    NicDeparser<H, M> deparse);

#endif
