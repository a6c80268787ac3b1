//! Registers as flip-flops with an enable and a reset of their own, and what is found out about them.

use super::{Elaborator, Waiting};
use crate::estimate::fabric::FlipFlop;
use crate::estimate::gates::Number;
use crate::estimate::graph::{Signal, ONE, ZERO};
use hardpath_rtl::{Node, NodeOp, Reg, RegData};
use std::collections::HashMap;

/// A bit of a register: its frame, the register there, and the bit's place.
pub type BitName = (usize, Reg, u32);

/// What is known of a bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    Constant(bool),
    /// It always holds what another one holds.
    Same(BitName),
}

impl Elaborator<'_> {
    /// What a register holds.
    pub fn register(&mut self, frame: usize, reg: Reg) -> Number {
        let bits = 0..self.module(frame).regs[reg].width;
        bits.map(|bit| self.register_bit((frame, reg, bit)))
            .collect()
    }

    fn register_bit(&mut self, mut name: BitName) -> Signal {
        while let Some(fact) = self.facts.get(&name) {
            match fact {
                Fact::Constant(one) => return Signal::constant(*one),
                Fact::Same(other) => name = *other,
            }
        }
        let (frame, reg, bit) = name;
        let first = self.flip_flops_of(frame, reg);
        self.fabric.flip_flops[first + bit as usize].out
    }

    fn flip_flops_of(&mut self, frame: usize, reg: Reg) -> usize {
        if let Some(first) = self.frames[frame].registers.get(&reg) {
            return *first;
        }
        let first = self.fabric.flip_flops(self.module(frame).regs[reg].width);
        self.frames[frame].registers.insert(reg, first);
        self.asked.push((frame, reg, first));
        self.waiting.push(Waiting::Register(frame, reg));
        first
    }

    pub fn connect_register(&mut self, frame: usize, reg: Reg) {
        let data = &self.module(frame).regs[reg];
        let first = self.flip_flops_of(frame, reg);
        let Some(next) = data.next else { return };
        self.value(frame, next);
        let enable = data.enable.map_or(ONE, |node| self.bit(frame, node));
        for bit in 0..data.width {
            let out = self.fabric.flip_flops[first + bit as usize].out;
            let mut flip_flop = FlipFlop {
                out,
                next: out,
                enable,
                reset: ZERO,
                reset_to: false,
            };
            if let Some(one) = reset_value(data, bit) {
                flip_flop.reset = self.reset;
                flip_flop.reset_to = one;
            }
            self.take_choices_out((frame, next, bit), &mut flip_flop);
            self.fabric.flip_flops[first + bit as usize] = flip_flop;
        }
    }

    /// As tools do (yosys' `opt_dff`): a choice between something and what the flip-flop holds is an enable, and one between
    /// something and a constant a reset.
    fn take_choices_out(&mut self, mut place: (usize, Node, u32), flip_flop: &mut FlipFlop) {
        loop {
            place = self.source(place);
            let (frame, node, bit) = place;
            let data = &self.module(frame).nodes[node];
            flip_flop.next = self.known(frame, node)[bit as usize];
            if data.op != NodeOp::Mux {
                return;
            }
            let args = &data.args;
            let select = self.known(frame, args[0])[0];
            let arms = [args[1], args[2]].map(|arm| self.known(frame, arm)[bit as usize]);
            let graph = &mut self.fabric.graph;
            // The arm that stays, and when the other one is taken.
            let (stays, otherwise) = match arms {
                [a, _] if a == flip_flop.out || a.is_constant() => (args[2], (a, select)),
                [_, b] if b == flip_flop.out || b.is_constant() => (args[1], (b, select.not())),
                _ => return,
            };
            match otherwise {
                (held, when) if held == flip_flop.out => {
                    flip_flop.enable = graph.and(flip_flop.enable, when.not());
                }
                (constant, when) => {
                    let one = constant == ONE;
                    let is_free = flip_flop.reset == ZERO || flip_flop.reset_to == one;
                    if !is_free || flip_flop.enable != ONE {
                        return;
                    }
                    flip_flop.reset = graph.or(flip_flop.reset, when);
                    flip_flop.reset_to = one;
                }
            }
            place = (frame, stays, bit);
        }
    }

    /// The node that a bit comes from, behind names, parts and borders of modules.
    fn source(&mut self, place: (usize, Node, u32)) -> (usize, Node, u32) {
        let (mut frame, mut node, mut bit) = place;
        loop {
            let data = &self.module(frame).nodes[node];
            match data.op {
                NodeOp::Wire => node = data.args[0],
                NodeOp::Slice { lo } => (node, bit) = (data.args[0], bit + lo),
                NodeOp::Concat => {
                    for arg in data.args.iter().rev() {
                        let width = self.module(frame).nodes[*arg].width;
                        if bit < width {
                            node = *arg;
                            break;
                        }
                        bit -= width;
                    }
                }
                NodeOp::Input(_) | NodeOp::InstanceOutput(..) => match self.behind(frame, node) {
                    Some(behind) => (frame, node) = behind,
                    None => return (frame, node, bit),
                },
                _ => return (frame, node, bit),
            }
        }
    }

    /// What the network shows of registers: bits that never change, and bits that are like others.
    pub fn news(&self) -> HashMap<BitName, Fact> {
        let mut news = HashMap::new();
        let mut first_alike: HashMap<(Signal, Signal, Signal, bool, bool), BitName> =
            HashMap::new();
        for (frame, reg, first) in &self.asked {
            let data = &self.module(*frame).regs[*reg];
            for bit in 0..data.width {
                let name = (*frame, *reg, bit);
                if self.facts.contains_key(&name) {
                    continue;
                }
                let flip_flop = &self.fabric.flip_flops[first + bit as usize];
                let initial = reset_value(data, bit).unwrap_or(false);
                if is_constant(flip_flop, initial) {
                    news.insert(name, Fact::Constant(initial));
                    continue;
                }
                if data.is_apart || data.is_synchronizer {
                    continue;
                }
                let FlipFlop {
                    next,
                    enable,
                    reset,
                    reset_to,
                    ..
                } = *flip_flop;
                let alike = (next, enable, reset, reset_to, initial);
                match first_alike.get(&alike) {
                    Some(other) => drop(news.insert(name, Fact::Same(*other))),
                    None => drop(first_alike.insert(alike, name)),
                }
            }
        }
        news
    }
}

/// What `rst` sets a bit to; `None`: it has no reset.
fn reset_value(data: &RegData, bit: u32) -> Option<bool> {
    let limbs = data.reset.as_ref()?;
    Some(limbs[bit as usize / 64] >> (bit % 64) & 1 == 1)
}

fn is_constant(flip_flop: &FlipFlop, initial: bool) -> bool {
    let keeps = |next: Signal| next == flip_flop.out || next == Signal::constant(initial);
    let is_kept = flip_flop.enable == ZERO || keeps(flip_flop.next);
    let is_reset = flip_flop.reset != ZERO;
    is_kept && (!is_reset || flip_flop.reset_to == initial)
}
