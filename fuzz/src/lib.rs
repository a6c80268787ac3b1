//! Random XDP programs, compared packet by packet: kernel, interpreter, and native hardware: a pipeline, or rows and the processor that runs them.
//!
//! ```text
//! seed ─► generate ─► packets ─► trial: kernel = lifted = after each phase = hardware ?
//!                                  │ no
//!                                  └─► minimize ─► case (a text file that a test runs again for ever)
//! ```
//!
//! Everything follows from the seed: the same seed gives the same program and packets, as long as the kernel takes
//! the same programs.
#![warn(missing_docs)]

pub mod case;
pub mod code;
pub mod cores;
mod disassemble;
mod encode;
pub mod engines;
pub mod features;
pub mod flows;
pub mod generate;
pub mod hardware;
mod ir_programs;
pub mod minimize;
mod names;
pub mod packets;
mod random;
pub mod session;
pub mod trial;

pub use generate::Features;
pub use session::{
    run, run_on, AskedAgain, FailedProgram, FuzzOptions, FuzzReport, VERILATOR_EVERY,
};
pub use trial::{Built, Failure, Judge, Judged, Layer, Outcome, Subject, Target, TrialOptions};
