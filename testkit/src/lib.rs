//! What tests of several crates are made of: random numbers, random programs of the IR that its verifier takes, and the
//! comparison of two programs by the interpreter or of two modules by yosys; and bounded proofs of what a block does, and tests in Python.
//!
//! Everything follows from a seed, and is the same on every machine.

#![warn(missing_docs)]

pub mod claim;
pub mod cocotb;
pub mod programs;
pub mod proof;
mod random;
mod same;

pub use random::Random;
pub use same::{assert_same, assert_valid, packet};
