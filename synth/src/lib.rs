//! Synthesis flows: what a design costs in area and how deep its logic is.
//!
//! This crate knows text and tools, not how designs are made.

pub mod netlist;
pub mod timing;
pub mod yosys;

pub use yosys::{yosys, Options};

use serde::Serialize;

/// What a synthesis flow says about a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthReport {
    /// Name of the flow: `yosys`.
    pub flow: String,
    /// What was synthesized for.
    pub part: String,
    pub lut: u64,
    pub ff: u64,
    pub carry: u64,
    /// Block RAMs of 36 kbit; a half one counts 0.5.
    pub bram36: f64,
    pub dsp: u64,
    pub levels: u32,
    pub critical_path: Vec<PathStep>,
    pub lut_without_maps: u64,
    pub ff_without_maps: u64,
}

/// A cell on the longest path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathStep {
    pub cell: String,
    pub kind: String,
    pub level: u32,
}
