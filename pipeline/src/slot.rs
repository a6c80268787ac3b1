//! The contract of the program slot: what every program is to the hardware around it.
//!
//! * An *entrance* gives a packet in one clock: `packet_valid` with the first bytes, the length and what came with the packet.
//!   It holds a credit for each packet that it gives, and gives none while the host port wants a free slot. The frames wait in
//!   a FIFO of their own.
//! * A *program* takes a packet in any clock and never says no. It gives a result for each, in the same order: `result_valid`
//!   with [`PacketResult`], any number of clocks later. It may hold packets inside as long as there are credits; `stall` says that
//!   it does so in this clock.
//! * A *host operation* comes as a slot without packet: `host_inject` with [`MapQuestion`], while no packet comes. It passes the
//!   maps in order with the packets, and `map_done` tells its [`MapAnswer`].
//! * *Results* wait in a FIFO with room for all credits. An *exit* takes them one after the other with their frames, and gives
//!   each credit back when the packet has left.
//!
//! Nothing in it counts on one entrance or one exit: several of each need an arbiter in front, which puts a number beside the
//! packet, and a FIFO of results for each exit behind, chosen by the result.

use hardpath_blocks::egress::PacketResult;
use hardpath_blocks::host::{MapAnswer, MapQuestion};
use hardpath_blocks::interface::JournalOut;
use hardpath_rtl::signals;

signals! {
    /// Into a program.
    pub struct ProgramIn {
        packet_valid: one "a packet enters",
        packet: one "the packet's first bytes; byte 0 in bits 7:0",
        given: all GivenIn,
        /// `None`: it has no maps.
        maps: some MapsIn,
    }
}

signals! {
    /// What comes with a packet, as far as the program asks.
    pub struct GivenIn {
        packet_length: one "bytes",
        ingress: maybe "from the port table",
        queue: maybe "from the port table",
        egress: maybe "given with the packet",
        time_ns: maybe "drawn when the packet came in",
        random: maybe "drawn when the packet came in",
        packet_sum: maybe "the sum of its words of 16 bits, first byte on top",
        own: maybe "the program's own inputs",
    }
}

signals! {
    /// The host's way to the maps.
    pub struct MapsIn {
        host_inject: one "this slot is the host's operation",
        question: all MapQuestion,
    }
}

signals! {
    /// Out of a program.
    pub struct ProgramOut {
        result_valid: one "a packet's result leaves",
        result: all PacketResult,
        answer: some MapAnswer,
        /// Only with maps that must be made ready.
        map_prepared: maybe "the selected map is ready for the operation",
        /// Only where packets can wait.
        stall: maybe "a packet waits at the entrance of a hazard window",
        /// The journals of LRU maps, by name.
        lru: labelled JournalOut,
        /// Only without pruning.
        carried: maybe "all that the pipeline carries to its end, so that tools leave it there",
    }
}
