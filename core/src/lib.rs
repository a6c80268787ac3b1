//! The packet processor: a VLIW core that runs programs of the IR, its instruction set, and the compiler for it.
//!
//! ```text
//! structured program ─► prepare ─► select ─► regions ─► schedule ─► allocate ─► rows ─► verify
//! ```
//!
//! * [`isa`]: what an operation means. [`image`]: a program as the core runs it.

#![warn(missing_docs)]

pub mod compile;
pub mod encode;
pub mod image;
pub mod interpreter;
pub mod isa;
pub mod rename;
