//! Packets that enter the program before all of them is in: what entrance and exit tell each other then.
//!
//! ```text
//! s_axis ─► entrance ──── window, after so many beats ───► program ─► results ─┐
//!              ├───────── each beat ─────────────────────► frame FIFO ─────────┼─► exit ─► m_axis
//!              └───────── the end: length, bad or not ───► FIFO of ends ───────┘
//! ```
//!
//! * **When.** A packet enters the program with its first [`Ahead::beats`] beats, or with its last one if that comes before. So the time
//!   that it spends inside does not grow with its length.
//! * **Length.** The program sees the packet's length, but never more than so many beats have bytes: a longer packet has this length for
//!   it. What it asks must not depend on more than that; who puts these blocks together makes sure of it.
//! * **What is known in time** is treated as in a design that stores packets: a frame that is marked bad or too short, and whose end
//!   comes no later than the packet would enter, leaves no trace but a strobe.
//! * **What is known too late** is told: a frame that is marked bad at its end leaves, if the program sends it on, with `bad` on its last
//!   beat. One that is longer than the longest ends behind its longest length, with the mark; the rest of it is taken in and thrown
//!   away. What the program did stays done. Both have their strobes, as those that leave no trace.
//! * **The exit sends no beat that may be the last one** before it knows that it is, or is not: the end of a packet comes with its last
//!   beat, or behind it as a beat without bytes. So it sends a beat when the next one is there (or the one behind that, if the exit
//!   forms beats out of two), or when the end is known. While the source gives a beat in each clock the exit is always behind it,
//!   and there is no gap inside a packet; where the source pauses inside a packet, the exit does, too. A last beat without bytes is such a
//!   pause, and so is the beat that shows that a packet is too long.
//! * **A packet that is dropped** keeps its frames until its end is known, and is then forgotten in one clock. So frames and ends are
//!   never of two minds, and a packet has the same credit as in a design that stores packets.
//! * **Order.** The exit sees the frames of a packet no earlier than the end of the packet in front of it: the pointer behind what is
//!   written comes a clock late, the end in the FIFO's two clocks. (An exit that keeps the end in registers delays the pointer once more.)

use hardpath_rtl::{signals, Module, Node};

/// Of an entrance: when a packet enters the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// With so many of its beats, at least one; at least those of the window and of the shortest packet.
    pub beats: u32,
}

signals! {
    /// The end of a packet that entered the program, out of the entrance.
    pub struct EndOut {
        end_known: one "a packet ends: one strobe for each that entered, in order, no earlier than packet_valid",
        end_length: one "bytes of it that count; with end_known",
        end_bad: one "it was marked bad, or is too long; with end_known",
        frames_behind: one "behind the last frame that is written",
    }
}

signals! {
    /// The same at an exit, out of the FIFO of ends.
    pub struct EndIn {
        end_valid: one "the end of the oldest packet is known whose end was not taken yet",
        end_bad: one "it leaves with the mark of a bad frame",
        /// Only where packets are moved.
        end_length: maybe "its length in bytes, as it came in",
        /// Only where they are not.
        end_last_byte: maybe "the number of its last byte; 0 if it has none",
        /// Only where packets may be empty.
        end_empty: maybe "it has no bytes",
        frames_behind: one "behind the last frame that is there",
    }
}

/// How many frames from one on are there, seen by an exit: at least two, at least three.
pub(crate) fn frames_there(m: &mut Module, behind: Node, from: Node) -> (Node, Node) {
    let count = m.sub(behind, from);
    m.name(count, "frames_there");
    let above = m.slice(count, 1, m.width(count) - 1);
    let two = m.reduce_or(above);
    let is_two = m.eq_const(count, 2);
    let more = m.not(is_two);
    (two, m.and(&[two, more]))
}
