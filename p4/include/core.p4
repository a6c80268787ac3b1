// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What every P4_16 program can use: the core library of the P4_16 specification, version 1.2.5 (appendix D).

// Programs ask for this name to see whether the file is there.
#ifndef _CORE_P4_
#define _CORE_P4_

// §8.2.3: what a parser can end with. NoError is the value of a variable that has none yet.
error {
    NoError,
    PacketTooShort,
    NoMatch,
    StackOutOfBounds,
    HeaderTooShort,
    ParserTimeout,
    ParserInvalidArgument
}

// §13.8: the packet as it comes in.
extern packet_in {
    // A header of a size that is known; the next one of a stack where that is given.
    void extract<T>(out T hdr);
    // A header with one varbit field, which gets so many bits.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The next bits, which stay where they are.
    T lookahead<T>();
    void advance(in bit<32> sizeInBits);
    // Bytes of the whole packet.
    bit<32> length();
}

// §16.1: the packet as it leaves. What is not valid is left out.
extern packet_out {
    void emit<T>(in T hdr);
}

// §13.7: to reject with an error, unless the check holds.
extern void verify(in bool check, in error toSignal);

// §14.1.1: an action that does nothing.
@noWarn("unused")
action NoAction() {}

// §7.1.3: kinds of matches that all architectures have.
match_kind {
    exact,
    ternary,
    lpm
}

// §8.23: what must hold when the program is compiled.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
