//! What the right answer is: the Linux kernel and the interpreter, and comparing a run with them.
//!
//! ```text
//! packets ──► Reference { Judge?, interpreter }     ──► Expected ──┐
//!         └─► engine ──────────────────────────────────► Fate ─────┴─► Comparison
//! ```
//!
//! Nothing here knows of hardware.
#![warn(missing_docs)]

pub mod asking;
pub mod compare;
pub mod forgetting;
pub mod judge;
pub mod judges;
pub mod kernel;

pub use asking::{ask, Asked};
pub use compare::{Comparison, Difference, Mismatch, Side};
pub use forgetting::{Illegal, LruMap};
pub use judge::{Expected, ExpectedMaps, Reference, BATCH};
pub use judges::{Interpreter, Judge, Known, MapChange, Question, Running, Who};
pub use kernel::{Form, JudgeOptions, KernelJudge, Verdict};
