//! What a design will take of an FPGA of the UltraScale+ family, without asking a tool: in the time of a compilation.
//!
//! The design is followed from its outputs, through all modules, down to gates, flip-flops and memories ([`elaborate`]). Gates
//! are covered with LUTs as tools do it ([`luts`]); flip-flops in a row without reset are shift registers; memories are made of
//! what is cheapest ([`memories`]). `make levels` shows the figures beside those of yosys.

mod elaborate;
mod fabric;
mod gates;
mod graph;
mod luts;
mod memories;
mod rough;
mod shift_registers;

use crate::cards::Resources;
use elaborate::{elaborate, Elaborated};
use fabric::Owner;
use graph::{Signal, ONE};
use hardpath_rtl::{verilog, Design};
use serde::Serialize;

/// What a design will take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// LUTs that are memory or shift registers are counted among the LUTs.
    #[serde(flatten)]
    pub resources: Resources,
    /// The design is too large for a close look: LUTs may be twice as many, or half.
    #[serde(rename = "rough")]
    pub is_rough: bool,
}

/// LUTs and flip-flops of the largest design that is looked at closely, which takes a second.
const CLOSE: u64 = 150_000;

/// Estimates a design.
pub fn estimate(design: &Design) -> Estimate {
    let rough = at_first_sight(design);
    match rough.resources.lut + rough.resources.ff > CLOSE {
        true => rough,
        false => closely(design),
    }
}

/// The same within a few milliseconds, roughly.
pub fn at_first_sight(design: &Design) -> Estimate {
    rough::estimate(design)
}

fn closely(design: &Design) -> Estimate {
    let elaborated = elaborate(&verilog::as_printed(design));
    let live = Live::of(&elaborated);
    let fabric = &elaborated.fabric;
    let shift_registers = shift_registers::find(fabric, &live);
    let mut resources = Resources {
        lut: luts::count(&fabric.graph, &live.roots) + shift_registers.luts,
        ff: live.flip_flops.len() as u64 - shift_registers.flip_flops,
        ..Resources::default()
    };
    for block in &live.blocks {
        let block = &fabric.blocks[*block];
        resources.lut += block.luts;
        resources.bram36 += block.bram18 as f64 / 2.0;
        resources.uram += block.uram;
        resources.dsp += block.dsp;
    }
    Estimate {
        resources,
        is_rough: false,
    }
}

/// What the outputs of a design need.
struct Live {
    flip_flops: Vec<usize>,
    blocks: Vec<usize>,
    /// What flip-flops, blocks and outputs take.
    roots: Vec<Signal>,
    /// By gate: how many live gates and roots use it.
    uses: Vec<u32>,
}

impl Live {
    fn of(elaborated: &Elaborated) -> Live {
        let fabric = &elaborated.fabric;
        let mut live = Live {
            flip_flops: Vec::new(),
            blocks: Vec::new(),
            roots: Vec::new(),
            uses: vec![0; fabric.graph.gates.len()],
        };
        let mut is_live_block = vec![false; fabric.blocks.len()];
        let mut waiting = Vec::new();
        live.add(&elaborated.outputs, &mut waiting);
        while let Some(gate) = waiting.pop() {
            if let Some(inputs) = fabric.graph.gates[gate] {
                for input in inputs {
                    live.use_once(input, &mut waiting);
                }
                continue;
            }
            match fabric.owner(gate) {
                Some(Owner::FlipFlop(number)) => {
                    live.flip_flops.push(number);
                    let flip_flop = &fabric.flip_flops[number];
                    let roots = [flip_flop.next, flip_flop.enable, flip_flop.reset];
                    live.add(&roots, &mut waiting);
                }
                Some(Owner::Block(block)) if !is_live_block[block] => {
                    is_live_block[block] = true;
                    live.blocks.push(block);
                    live.add(&fabric.blocks[block].roots, &mut waiting);
                }
                _ => {}
            }
        }
        live
    }

    fn add(&mut self, roots: &[Signal], waiting: &mut Vec<usize>) {
        for root in roots.iter().filter(|root| !root.is_constant()) {
            self.roots.push(*root);
            self.use_once(*root, waiting);
        }
    }

    fn use_once(&mut self, signal: Signal, waiting: &mut Vec<usize>) {
        let gate = signal.gate();
        self.uses[gate] += 1;
        if self.uses[gate] == 1 && gate != ONE.gate() {
            waiting.push(gate);
        }
    }
}
