//! Tests that are files. Each `*.hir` below `cases/` is a program in text form, with lines that say what must become of it:
//!
//! | line | what it does |
//! |---|---|
//! | `; let: NAME … = word …, word …` | one test for each of the alternatives; `$NAME` stands for its word. Several lines: every combination |
//! | `; include: FILE NAME=word …` | the text of a file beside this one, with `$NAME` replaced |
//! | `; run: STEP …` | passes and steps of the pipeline ([`steps`]), one after the other; what they give stands behind `; expect:` |
//! | `; torture: seed N` | hostile traffic in hardware, beside the interpreter, with the host at work ([`torture`]); also `packets N`, `mhz N` |
//! | `; torture-on-a-core: seed N` | the same on a core alone: of what no pipeline has |
//! | `; not-on-a-core: NAME=word WHY` | each file with packets is run on a core, too; there this alternative is known to be wrong |
//! | `; hazard: MAP CLASS` | how the map is kept serial: `none`, `fused`, `interlock`, `replay`; `*` for any map |
//! | `; stages: N` | so many stages |
//! | `; prints: TEXT` | the design's SystemVerilog has a line with that text |
//! | `; packet: HEX [port N] [queue N] [time N] [random N] [INPUT N] => sent|stays OUTPUTS [to port|queue N …] [:HEX] [+ …]` | one packet after the other, through interpreter and hardware ([`packets`]) |
//! | `; entry: MAP KEY VALUE` | what a map holds before the first packet, in hex digits as memory has them |
//! | `; holds: MAP KEY VALUE` | what it holds behind the last one; `none` for a value: it has no such key |
//!
//! `UPDATE_EXPECT=1 cargo test -p hardpath-filetests --test files` writes what comes behind `; expect:` now; read the difference.
#![warn(missing_docs)]

pub mod case;
pub mod core;
pub mod hardware;
pub mod packets;
pub mod processor;
pub mod running;
pub mod steps;
pub mod torture;
pub mod traffic;

pub use case::{text, Case};
