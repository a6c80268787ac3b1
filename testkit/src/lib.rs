//! What tests of several crates are made of: random numbers, random programs of the IR that its verifier takes, and the
//! comparison of two programs by the interpreter or of two modules by yosys; bounded proofs of what a block does, tests in Python,
//! tests in files beside their programs, and work on all processors.
//!
//! Everything follows from a seed, and is the same on every machine.

#![warn(missing_docs)]

pub mod claim;
pub mod cocotb;
pub mod parallel;
pub mod programs;
pub mod proof;
mod random;
mod same;
pub mod scripts;

pub use random::Random;
pub use same::{assert_same, assert_valid, packet};
