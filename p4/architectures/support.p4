// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What architectures are described with (`#include <hardpath_architecture.p4>`): a control that says what happens to a packet from where it comes in to where it leaves, in the
// order in which it happens, by the parsers and controls that a program gives its package. `@hardpath_package("NAME")` in front of it says
// which package it is for; it is made with parameters of the names that the package has. `apply` of a parser gives its error there, and
// `exit` in what it applies ends only that.

// A packet as it comes in.
struct hardpath_packet_t {
    // The port.
    bit<32> port;
    // Its bytes.
    bit<32> length;
    // Nanoseconds since the device was started.
    bit<64> time;
}

// Where the packet goes. The one that was said last counts; nothing said: it is dropped.
extern void hardpath_drop();
extern void hardpath_send(in bit<32> port);
extern void hardpath_send_back();
extern void hardpath_send_to_host(in bit<32> queue);

// Where the traffic manager stands: what is in front of it and what is behind it may be two pipelines. A packet that is dropped ends here.
extern void hardpath_queue();

// What was emitted, and what the parser left behind it, is the packet from here on, and is read from its begin.
extern void hardpath_turn_around(packet_in packet, packet_out leaving);

// What was emitted is written over what was read, from its end backwards: a header for which a packet that is cut off has no room is
// left out, and what the packet has there stays.
extern void hardpath_write_over(packet_in packet, packet_out leaving);

// Nothing of the packet was read.
extern void hardpath_rewind(packet_in packet);

// The parser that was applied last has gone to `reject`, which it can do without an error.
extern bool hardpath_rejected();

// A number that a function of the architecture leaves for the description; zero where none has.
extern void hardpath_note(in bit<8> number);
extern bit<8> hardpath_noted();

// A checksum was wrong that the program has asked for.
extern bool hardpath_checksum_failed();

// A packet that comes here is dropped in hardware, since that does not do yet what is said here; the user is warned.
extern void hardpath_lose(string why);

// What hardware does not do yet: the program is refused with this reason where that is met.
extern void hardpath_refuse(string why);
