//! One file a command. Each gives an answer for scripts and for people, or errors.

pub mod advise;
pub mod asm;
pub mod check;
pub mod compile;
pub mod core;
pub mod disasm;
pub mod explain;
mod folder;
pub mod fuzz;
pub mod ir;
pub mod isa;
pub mod load;
pub mod p4check;
pub mod p4fmt;
pub mod p4info;
pub mod pass;
pub mod realworld;
pub mod sim;
pub mod stf;
pub mod supported;
pub mod synth;
pub mod traffic;
mod vendor;
