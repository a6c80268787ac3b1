//! The packet processor: a VLIW core that runs programs of the IR, its instruction set, and the compiler for it.
//!
//! ```text
//! structured program ─► prepare ─► select ─► legal ─► moves ─► regions ─► schedule ─► allocate ─► emit ─► verify
//! ```
//!
//! * [`isa`]: what an operation means. [`image`]: a program as the core runs it, its file, and what a loader writes.
//! * [`encode`]: an operation as a word. [`text`]: a program as a text, to be read and written by people.
//! * [`long`]: values that are only accessed in parts.
//! * [`verifier`]: the rules that a program keeps.
//! * [`hardware`]: the processor itself.

#![warn(missing_docs)]

pub mod compile;
pub mod encode;
pub mod hardware;
pub mod image;
pub mod interpreter;
pub mod isa;
pub mod long;
pub mod rename;
pub mod text;
pub mod verifier;
