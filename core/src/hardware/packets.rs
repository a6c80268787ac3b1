//! Packets on their way through the processor: a ring of lines that holds them, what fills it, and what sends them.
//!
//! ```text
//! s_axis ─► intake ──lines──► memory ──lines──► transmit ─► m_axis
//!             │                ▲  │                ▲ │
//!        descriptors       stores loads         jobs free
//!             └────────────► the threads ──────────┘ └─► intake
//! ```
//!
//! A packet has lines of 64 bytes in a row, around the end of the ring too: those of its headroom, and behind them the packet from the
//! first byte of a line on, as far as its program reaches. Addresses are those of bytes in the ring, so a thread adds what its packet's
//! descriptor says and knows nothing else of the ring.

mod bytes;
pub mod intake;
pub mod memory;
pub mod transmit;

use hardpath_blocks::index_bits;

/// Bytes of a line.
pub const LINE_BYTES: u32 = 64;
/// Bits of the number of a byte in a line.
pub const LINE_BYTE_BITS: u32 = LINE_BYTES.trailing_zeros();
/// Bits of a packet's length.
pub use hardpath_blocks::ingress::LENGTH_BITS;

/// The ring that holds packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Lines of 64 bytes: a power of two, from 16 on.
    pub lines: u32,
}

impl Default for Ring {
    /// What a block RAM has words.
    fn default() -> Ring {
        Ring { lines: 512 }
    }
}

impl Ring {
    /// Bits of a line's number.
    pub fn line_bits(&self) -> u32 {
        assert!(
            self.lines.is_power_of_two() && self.lines >= 16,
            "a ring has a power of two of lines"
        );
        index_bits(self.lines.into())
    }

    /// Bits of a number of lines, from none to all.
    pub fn count_bits(&self) -> u32 {
        self.line_bits() + 1
    }

    /// Bits of a byte's address.
    pub fn address_bits(&self) -> u32 {
        self.line_bits() + LINE_BYTE_BITS
    }
}
