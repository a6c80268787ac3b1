// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An architecture of one's own, in one file: a guard between two ports. What comes in at port 0 leaves at port 1, and the other way round,
// unless the program stops it; what the program wants to see goes to the host.

#ifndef GUARD_P4
#define GUARD_P4

#include <core.p4>
#include <hardpath_architecture.p4>

// What programs are given and give.
struct guard_in_t {
    bit<1> side;
    bit<32> length;
}

enum Verdict {
    PASS,
    STOP,
    TELL
}

parser GuardParser<H>(packet_in packet, out H headers);
control Guard<H>(inout H headers, in guard_in_t arrival, out Verdict verdict);
control GuardDeparser<H>(packet_out packet, in H headers);
package Guarded<H>(GuardParser<H> parse, Guard<H> guard, GuardDeparser<H> deparse);

// What the architecture does with a packet: it applies the parsers and controls of the package, under the names that these have there, in
// the order in which that happens. `packet` is what comes in, `leaving` what goes out, `arrival` what is known of it beside its bytes.
// What it can say of the packet is in <hardpath_architecture.p4>.
@hardpath_package("Guarded")
control guarded<H>(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)
    (GuardParser<H> parse, Guard<H> guard, GuardDeparser<H> deparse)
{
    H headers;
    guard_in_t given;
    Verdict verdict;

    apply {
        given.side = (bit<1>)arrival.port;
        given.length = arrival.length;
        if (parse.apply(packet, headers) != error.NoError) {
            // What cannot be read does not pass.
            hardpath_drop();
            return;
        }
        guard.apply(headers, given, verdict);
        switch (verdict) {
            Verdict.PASS: {
                hardpath_send((bit<32>)(given.side ^ 1));
            }
            Verdict.TELL: {
                hardpath_send_to_host(0);
            }
            default: {
                hardpath_drop();
            }
        }
        deparse.apply(leaving, headers);
    }
}

#endif
