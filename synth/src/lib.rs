//! Synthesis flows: what a design costs in area, and how deep its logic is.
//!
//! This crate knows SystemVerilog files and tools, and estimates designs where there is no time for these. It does not know
//! how designs are made.

#![warn(missing_docs)]

pub mod area;
pub mod cards;
pub mod constraints;
pub mod ecp5;
pub mod estimate;
pub mod fanout;
pub mod levels;
pub mod netlist;
pub mod project;
pub mod quartus;
pub mod tool;
pub mod vivado;
pub mod wrapper;
pub mod yosys;

pub use ecp5::{ecp5, Ecp5Options, Placer};
pub use yosys::{area_without_maps, yosys, Options};

use cards::Resources;
use fanout::Fanout;
use levels::Depth;
use serde::Serialize;

/// What a flow says about a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SynthReport {
    /// Name of the flow: `yosys`, `ecp5`.
    pub flow: String,
    /// What was synthesized for: yosys' name of the family, `xcup` for UltraScale+.
    pub part: String,
    /// Look-up tables, counted as in [`area`].
    pub lut: u64,
    /// Flip-flops and latches.
    pub ff: u64,
    /// Those of them that vendors' tools put into block RAMs and UltraRAMs ([`area::in_memories`]).
    pub ff_in_memories: u64,
    /// Carry cells as the flow maps them (`CARRY4` or `CARRY8`).
    pub carry: u64,
    /// Block RAMs of 36 kbit; one of 18 kbit counts 0.5.
    pub bram36: f64,
    /// UltraRAM blocks as the device has them, counted as in [`area`].
    pub uram: u64,
    /// Multipliers, as the device has them.
    pub dsp: u64,
    /// How deep it is between registers, and the paths that are.
    #[serde(flatten)]
    pub depth: Depth,
    /// The net that drives the most pins, clock and synchronous reset aside; `None` where the flow does not tell.
    pub max_fanout: Option<Fanout>,
    /// The nets with more than [`fanout::MANY`] pins, the largest first, twenty at most.
    pub wide_nets: Vec<Fanout>,
    /// LUTs of the design with its maps taken out, if the parts were asked for.
    pub lut_without_maps: Option<u64>,
    /// Flip-flops of the design with its maps taken out, if the parts were asked for.
    pub ff_without_maps: Option<u64>,
    /// The clock that was asked for, where the flow has one.
    pub clock_mhz: Option<f64>,
    /// The clock that the placed and routed design reaches.
    pub fmax_mhz: Option<f64>,
    /// Each module as it is synthesized on its own, without what is inside it; none if the parts were not asked for.
    pub modules: Vec<ModuleArea>,
}

impl SynthReport {
    /// What it takes of a card.
    pub fn resources(&self) -> Resources {
        Resources {
            lut: self.lut,
            ff: self.ff,
            bram36: self.bram36,
            uram: self.uram,
            dsp: self.dsp,
        }
    }
}

/// What one module costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModuleArea {
    /// As the design calls it.
    pub name: String,
    /// Look-up tables, counted as in [`area`].
    pub lut: u64,
    /// Flip-flops and latches.
    pub ff: u64,
    /// Carry cells, as [`SynthReport::carry`].
    pub carry: u64,
    /// Block RAMs of 36 kbit; one of 18 kbit counts 0.5.
    pub bram36: f64,
    /// UltraRAM blocks, counted as in [`area`].
    pub uram: u64,
    /// Multipliers, as the device has them.
    pub dsp: u64,
}
