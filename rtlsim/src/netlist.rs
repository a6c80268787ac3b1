//! A design without its hierarchy: one list of signals in topological order.
//!
//! Only what an output or an assertion depends on is here. Wires, ports and instances are gone; slices look through
//! slices, concatenations and extensions.

mod flatten;
mod legal;

use crate::SimError;
use cranelift_entity::{entity_impl, PrimaryMap};
pub use flatten::flatten;
use hardpath_rtl::foreign::MakeModel;
use hardpath_rtl::NodeOp;
use smallvec::SmallVec;

/// A combinational value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);
entity_impl!(Signal, "s");

/// Something that takes a new value at the clock edge: a register, or the output of a synchronous read port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u32);
entity_impl!(StateId, "state");

/// The words of a memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(u32);
entity_impl!(MemoryId, "memory");

/// A clock of the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockId(u32);
entity_impl!(ClockId, "clock");

/// An instance of a foreign module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForeignId(u32);
entity_impl!(ForeignId, "foreign");

/// The whole design, flat.
#[derive(Default)]
pub struct Netlist {
    /// Arguments before their users.
    pub signals: PrimaryMap<Signal, SignalData>,
    pub states: PrimaryMap<StateId, State>,
    pub memories: PrimaryMap<MemoryId, Memory>,
    /// The clocks of the top, and the resets that are read at their edges: names. With several, states and memories have enables
    /// that are 1 only in steps in which their clock has an edge.
    pub clocks: PrimaryMap<ClockId, (String, String)>,
    pub foreign: PrimaryMap<ForeignId, ForeignData>,
    /// Inputs of the top: name and width. Resets are not among them.
    pub inputs: Vec<(String, u32)>,
    pub outputs: Vec<(String, Signal)>,
    pub assertions: Vec<Assertion>,
}

pub struct SignalData {
    pub op: Op,
    pub args: SmallVec<[Signal; 3]>,
    pub width: u32,
}

pub enum Op {
    /// By its index in [`Netlist::inputs`].
    Input(u32),
    State(StateId),
    /// The word at the address `args[0]`.
    Read(MemoryId),
    /// One bit: whether the clock has an edge in this step.
    Edge(ClockId),
    /// An output of a foreign module, by its number; the arguments are the inputs that it follows.
    Foreign(ForeignId, u32),
    /// Everything else; never a port, wire, register, memory or instance.
    Pure(NodeOp),
}

pub struct State {
    /// Hierarchical name.
    pub name: String,
    pub width: u32,
    /// What reset sets, in limbs.
    pub reset: Option<Vec<u64>>,
    pub clock: ClockId,
    pub update: Update,
}

/// Where a state's next value comes from.
pub enum Update {
    Register {
        next: Signal,
        enable: Option<Signal>,
    },
    Read {
        memory: MemoryId,
        address: Signal,
        enable: Signal,
    },
}

pub struct Memory {
    /// Hierarchical name.
    pub name: String,
    pub width: u32,
    pub depth: u32,
    pub writes: Vec<Write>,
}

pub struct Write {
    pub address: Signal,
    pub data: Signal,
    pub enable: Signal,
}

pub struct Assertion {
    /// Hierarchical name.
    pub name: String,
    pub message: String,
    pub condition: Signal,
    pub clock: ClockId,
}

pub struct ForeignData {
    pub model: MakeModel,
    /// By clock of the module.
    pub clocks: Vec<ClockId>,
    /// In the order of the ports.
    pub inputs: Vec<Signal>,
    /// Their widths, in the order of the ports, and the numbers of the inputs that each follows.
    pub outputs: Vec<(u32, Vec<u32>)>,
}

impl Netlist {
    fn push(&mut self, op: Op, args: &[Signal], width: u32) -> Signal {
        let args = SmallVec::from_slice(args);
        self.signals.push(SignalData { op, args, width })
    }

    fn constant(&mut self, limbs: Vec<u64>, width: u32) -> Signal {
        self.push(Op::Pure(NodeOp::Const(limbs)), &[], width)
    }

    /// `width` bits of `from`, from bit `lo` on.
    fn slice(&mut self, from: Signal, lo: u32, width: u32) -> Signal {
        let data = &self.signals[from];
        if data.width == width {
            return from;
        }
        let Op::Pure(op) = &data.op else {
            return self.push(Op::Pure(NodeOp::Slice { lo }), &[from], width);
        };
        match op {
            NodeOp::Slice { lo: inner } => {
                let (argument, lo) = (data.args[0], lo + inner);
                self.slice(argument, lo, width)
            }
            NodeOp::ZExt => {
                let argument = data.args[0];
                let inner = self.signals[argument].width;
                if lo >= inner {
                    self.constant(vec![0; width.div_ceil(64) as usize], width)
                } else if lo + width <= inner {
                    self.slice(argument, lo, width)
                } else {
                    let part = self.slice(argument, lo, inner - lo);
                    self.push(Op::Pure(NodeOp::ZExt), &[part], width)
                }
            }
            NodeOp::Concat => {
                let pieces = data.args.clone();
                let mut parts: SmallVec<[Signal; 8]> = SmallVec::new();
                let mut at = 0;
                for piece in pieces.iter().rev() {
                    let end = at + self.signals[*piece].width;
                    let (first, last) = (lo.max(at), (lo + width).min(end));
                    if first < last {
                        parts.push(self.slice(*piece, first - at, last - first));
                    }
                    at = end;
                }
                parts.reverse();
                self.concat(&parts, width)
            }
            _ => self.push(Op::Pure(NodeOp::Slice { lo }), &[from], width),
        }
    }

    /// Side by side, the first one most significant. Neighbouring slices of one signal become one slice.
    fn concat(&mut self, pieces: &[Signal], width: u32) -> Signal {
        let mut joined: SmallVec<[Signal; 8]> = SmallVec::new();
        for piece in pieces {
            match joined.last().and_then(|above| self.join(*above, *piece)) {
                Some((from, lo, width)) => {
                    let slice = self.slice(from, lo, width);
                    *joined.last_mut().expect("has a last piece") = slice;
                }
                None => joined.push(*piece),
            }
        }
        match joined[..] {
            [one] => one,
            _ => self.push(Op::Pure(NodeOp::Concat), &joined, width),
        }
    }

    /// When both are slices of one signal and `high` begins where `low` ends: that signal, first bit and width of both.
    fn join(&self, high: Signal, low: Signal) -> Option<(Signal, u32, u32)> {
        let slice = |signal: Signal| match &self.signals[signal] {
            SignalData {
                op: Op::Pure(NodeOp::Slice { lo }),
                args,
                width,
            } => Some((args[0], *lo, *width)),
            _ => None,
        };
        let (high_from, high_lo, high_width) = slice(high)?;
        let (low_from, low_lo, low_width) = slice(low)?;
        (high_from == low_from && low_lo + low_width == high_lo).then_some((
            low_from,
            low_lo,
            low_width + high_width,
        ))
    }
}

fn malformed<T>(message: String) -> Result<T, SimError> {
    Err(SimError::Malformed(message))
}
