// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A program for the architecture in guard.p4: from side 1 only senders pass that are on a list. Try it:
//
//     hardpath stf programs/p4/architecture/allowlist.p4 programs/p4/architecture/allowlist.stf
#include "guard.p4"

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

parser Parse(packet_in packet, out headers_t headers) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Allow(inout headers_t headers, in guard_in_t arrival, out Verdict verdict) {
    action allow() {
        verdict = Verdict.PASS;
    }
    action tell() {
        verdict = Verdict.TELL;
    }
    action stop() {
        verdict = Verdict.STOP;
    }
    table senders {
        key = {
            headers.ethernet.src: exact;
        }
        actions = {
            allow;
            tell;
            stop;
        }
        default_action = stop();
        size = 1024;
    }

    apply {
        if (arrival.side == 0) {
            verdict = Verdict.PASS;
        } else {
            senders.apply();
        }
    }
}

control Deparse(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.ethernet);
    }
}

Guarded(Parse(), Allow(), Deparse()) main;
