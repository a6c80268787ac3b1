//! A packet, what stands beside its bytes, and what becomes of it: what everybody who runs programs, drives designs or
//! judges them has in common.
//!
//! ```text
//! Packet ──(port table)──► Sideband ──► program ──► Fate: outputs, and copies with their bytes, ways and outputs
//! ```
#![warn(missing_docs)]

mod fate;
mod input;
mod output;
mod places;
mod ports;

pub use fate::{Class, Copy, Fate, CLASS_BITS, INDEX_BITS};
pub use input::{OwnInput, MAX_OWN_BITS};
pub use output::{outcome, outcomes, Output, COUNTED_BITS, MOST_OUTCOMES};
pub use places::bits_text;
pub use ports::{Port, Ports};

/// The shortest Ethernet frame without its check sequence, in bytes: a header.
pub const MIN_PACKET_BYTES: u32 = 14;
/// The longest frame that designs take in, in bytes.
pub const MAX_PACKET_BYTES: u32 = 9216;

/// A packet on its way into a design.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Packet {
    /// The frame without its check sequence; of a raw program: its memory.
    pub data: Vec<u8>,
    /// Ingress port, an index into the port table ([`Ports`]).
    pub port: u8,
    /// Receive queue, as the port counts them.
    pub queue: u16,
    /// Interface that the packet is about to leave by, of meaning for programs that run there.
    pub egress: u32,
    /// Nanoseconds.
    pub time_ns: u64,
    /// The random number that the program sees.
    pub random: u32,
    /// The program's own inputs ([`OwnInput`]), the first in the lowest bits.
    pub own: u64,
    /// The MAC marks the frame bad: the design must drop it.
    pub bad: bool,
}

/// What a program sees of a packet beside its bytes. It is drawn once, when the packet enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sideband {
    /// Interface that the packet came in at.
    pub ingress: u32,
    /// Receive queue of that interface.
    pub queue: u32,
    /// Interface that the packet is about to leave by.
    pub egress: u32,
    /// Nanoseconds.
    pub time_ns: u64,
    /// The random number that the program sees.
    pub random: u32,
    /// The program's own inputs ([`OwnInput`]), the first in the lowest bits.
    pub own: u64,
}
