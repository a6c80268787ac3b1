//! Which bits of which base values a value consists of.
//!
//! Slices, concatenations, extensions and inversions are wiring: nothing of them is kept in registers. What is kept
//! are *base values* (the window, side inputs, results of real operations and of maps), and of those only the bits
//! that a later stage still uses.

use crate::delay::is_wiring;
use cranelift_entity::SecondaryMap;
use hardpath_blocks::ingress::LENGTH_BITS;
use hardpath_blocks::packet_sum::SUM_BITS;
use hardpath_ir::{Bits, Input, Inst, Op, Program, Value};
use std::collections::{HashMap, HashSet};

/// A base value.
#[derive(Clone, Debug)]
pub struct Base {
    /// What it is called in the output, without the stage.
    pub name: String,
    /// Bits that are kept of it.
    pub width: u32,
    /// The stage in which it arises.
    pub stage: u32,
    /// For each bit the last stage that uses it; `None`: unused.
    pub last_use: Vec<Option<u32>>,
}

/// Number of a base value.
pub type BaseId = usize;

/// A run of bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// The same bits for every packet; no register holds them.
    Const(Bits),
    /// `len` bits of a base from `lo` up.
    Bits {
        /// Whose bits they are.
        base: BaseId,
        /// The lowest of them, from 0.
        lo: u32,
        /// How many.
        len: u32,
        /// Each of them is the inverse of the base's.
        inverted: bool,
    },
    /// One bit of a base, `count` times.
    Repeat {
        /// Whose bit it is.
        base: BaseId,
        /// Which one, from 0.
        bit: u32,
        /// How often it stands there.
        count: u32,
        /// It is the inverse of the base's.
        inverted: bool,
    },
}

impl Segment {
    /// Bits of the run.
    pub fn width(&self) -> u32 {
        match self {
            Segment::Const(bits) => bits.width(),
            Segment::Bits { len, .. } => *len,
            Segment::Repeat { count, .. } => *count,
        }
    }

    fn part(&self, lo: u32, len: u32) -> Segment {
        match self {
            Segment::Const(bits) => Segment::Const(bits.slice(lo, len)),
            Segment::Bits {
                base,
                lo: start,
                inverted,
                ..
            } => Segment::Bits {
                base: *base,
                lo: start + lo,
                len,
                inverted: *inverted,
            },
            Segment::Repeat {
                base,
                bit,
                inverted,
                ..
            } => Segment::Repeat {
                base: *base,
                bit: *bit,
                count: len,
                inverted: *inverted,
            },
        }
    }

    fn inverse(&self) -> Segment {
        match self.clone() {
            Segment::Const(bits) => Segment::Const(bits.not()),
            Segment::Bits {
                base,
                lo,
                len,
                inverted,
            } => Segment::Bits {
                base,
                lo,
                len,
                inverted: !inverted,
            },
            Segment::Repeat {
                base,
                bit,
                count,
                inverted,
            } => Segment::Repeat {
                base,
                bit,
                count,
                inverted: !inverted,
            },
        }
    }
}

/// All base values, and the segments of every value, least significant first.
#[derive(Clone, Default)]
pub struct Segments {
    /// A [`BaseId`] is a place here.
    pub bases: Vec<Base>,
    of: SecondaryMap<Value, Vec<Segment>>,
    inputs: HashMap<Input, BaseId>,
    window: Option<BaseId>,
    names: HashSet<String>,
}

impl Segments {
    /// With all results of a program: those of wiring consist of others, the rest are base values, given beside. `describe` says
    /// of a result, by its instruction and its number there, what it is called, how many of its bits are kept, and in which stage
    /// it arises; what it is told of comes before.
    pub fn of_results(
        program: &Program,
        describe: impl Fn(&Segments, Inst, usize) -> (String, u32, u32),
    ) -> (Segments, HashMap<Value, BaseId>) {
        let mut segments = Segments::of_packet(program);
        let mut base_of = HashMap::new();
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            for (number, result) in data.results.iter().enumerate() {
                if is_wiring(&data.op) {
                    segments.wire(program, *result, &data.op, &data.args);
                    continue;
                }
                let (name, kept, stage) = describe(&segments, *inst, number);
                let base = segments.add_base(name, kept, stage);
                segments.define(*result, program.width(*result), base);
                base_of.insert(*result, base);
            }
        }
        (segments, base_of)
    }

    /// Numbers a name that another base has, so that a value is called the same in all stages.
    pub fn add_base(&mut self, name: impl Into<String>, width: u32, stage: u32) -> BaseId {
        let wanted = name.into();
        let mut name = wanted.clone();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        self.bases.push(Base {
            name,
            width,
            stage,
            last_use: vec![None; width as usize],
        });
        self.bases.len() - 1
    }

    /// With the first bytes of the packet, as far as a program reads them, and the packet's length: bases of stage 0.
    pub fn of_packet(program: &Program) -> Segments {
        let insts = program.blocks[program.region()].insts.iter();
        let loads = insts
            .map(|inst| &program.insts[*inst])
            .filter(|data| data.op == Op::PacketLoad);
        let ends = loads.map(|data| {
            let offset = program.as_const(data.args[0]).map_or(0, Bits::low_u64);
            offset as u32 + program.width(data.results[0]) / 8
        });
        let bytes = ends.max().unwrap_or(1);
        let mut segments = Segments::default();
        segments.window = Some(segments.add_base("packet", bytes * 8, 0));
        segments.input(Input::Length);
        segments
    }

    /// The base of the packet's first bytes, byte 0 in bits 7:0. Panics where [`Segments::of_packet`] has not made it.
    pub fn window(&self) -> BaseId {
        self.window.expect("set first")
    }

    /// The base of a side input.
    pub fn input(&mut self, input: Input) -> BaseId {
        self.input_called(input, None)
    }

    fn input_called(&mut self, input: Input, own_name: Option<&str>) -> BaseId {
        if let Some(base) = self.inputs.get(&input) {
            return *base;
        }
        let (name, width) = match input {
            Input::Length => ("packet_length", LENGTH_BITS),
            Input::Ingress => ("ingress", 32),
            Input::Queue => ("queue", 32),
            Input::Egress => ("egress", 32),
            Input::Time => ("time_ns", 64),
            Input::Random => ("random", 32),
            Input::Sum => ("packet_sum", SUM_BITS),
            Input::Own { width, .. } => ("own", width.into()),
        };
        let base = self.add_base(own_name.unwrap_or(name), width, 0);
        self.inputs.insert(input, base);
        base
    }

    /// The window and the side inputs.
    pub fn given(&self) -> impl Iterator<Item = BaseId> + '_ {
        self.window.into_iter().chain(self.inputs.values().copied())
    }

    /// The side inputs that some value needs.
    pub fn used_inputs(&self) -> Vec<(Input, BaseId)> {
        let mut all: Vec<(Input, BaseId)> = self
            .inputs
            .iter()
            .filter(|(_, base)| self.bases[**base].last_use.iter().any(Option::is_some))
            .map(|(input, base)| (*input, *base))
            .collect();
        all.sort_by_key(|(_, base)| *base);
        all
    }

    /// Makes a value a base of its own, extended with zeros to the value's width.
    pub fn define(&mut self, value: Value, value_width: u32, base: BaseId) {
        let width = self.bases[base].width;
        let mut segments = vec![whole(base, width.min(value_width))];
        if value_width > width {
            segments.push(Segment::Const(Bits::zero(value_width - width)));
        }
        self.of[value] = segments;
    }

    /// Makes a value of wiring over values that are known already.
    pub fn wire(&mut self, program: &Program, value: Value, op: &Op, args: &[Value]) {
        debug_assert!(is_wiring(op));
        let width = program.width(value);
        self.of[value] = match op {
            Op::Const(bits) => vec![Segment::Const(bits.clone())],
            Op::Input(input) => {
                let own_name = match *input {
                    Input::Own { lo, width } => program.own_input_name(lo, width),
                    _ => None,
                };
                let base = self.input_called(*input, own_name);
                let have = self.bases[base].width;
                let mut segments = vec![whole(base, have.min(width))];
                if width > have {
                    segments.push(Segment::Const(Bits::zero(width - have)));
                }
                segments
            }
            Op::PacketLoad => {
                let offset = program.as_const(args[0]).map_or(0, Bits::low_u64) as u32;
                vec![Segment::Bits {
                    base: self.window(),
                    lo: offset * 8,
                    len: width,
                    inverted: false,
                }]
            }
            Op::Slice { lo } => self.cut(args[0], *lo, width),
            Op::Concat => args
                .iter()
                .rev()
                .flat_map(|arg| self.of[*arg].clone())
                .collect(),
            Op::ZExt => {
                let mut segments = self.of[args[0]].clone();
                let have = program.width(args[0]);
                if width > have {
                    segments.push(Segment::Const(Bits::zero(width - have)));
                }
                segments
            }
            Op::SExt => {
                let have = program.width(args[0]);
                let mut segments = self.of[args[0]].clone();
                if width > have {
                    let sign = self.cut(args[0], have - 1, 1).remove(0);
                    segments.push(repeated(&sign, width - have));
                }
                segments
            }
            Op::Not => self.of[args[0]].iter().map(Segment::inverse).collect(),
            _ => unreachable!("not wiring"),
        };
        let segments = &mut self.of[value];
        join_neighbours(segments);
    }

    fn cut(&self, value: Value, lo: u32, width: u32) -> Vec<Segment> {
        let mut cut = Vec::new();
        let mut at = 0;
        for segment in &self.of[value] {
            let (start, end) = (at, at + segment.width());
            let (from, to) = (start.max(lo), end.min(lo + width));
            if from < to {
                cut.push(segment.part(from - start, to - from));
            }
            at = end;
        }
        cut
    }

    /// The segments of a value, least significant first.
    pub fn of(&self, value: Value) -> &[Segment] {
        &self.of[value]
    }

    /// A stage uses all bits of a value.
    pub fn demand(&mut self, value: Value, stage: u32) {
        for segment in self.of[value].clone() {
            match segment {
                Segment::Const(_) => {}
                Segment::Bits { base, lo, len, .. } => self.demand_bits(base, lo, len, stage),
                Segment::Repeat { base, bit, .. } => self.demand_bits(base, bit, 1, stage),
            }
        }
    }

    /// A stage uses some bits of a base.
    pub fn demand_bits(&mut self, base: BaseId, lo: u32, len: u32, stage: u32) {
        let data = &mut self.bases[base];
        debug_assert!(
            data.stage <= stage,
            "{} arises in stage {} and is used in stage {stage}",
            data.name,
            data.stage
        );
        for bit in &mut data.last_use[lo as usize..(lo + len) as usize] {
            *bit = Some(bit.unwrap_or(0).max(stage));
        }
    }

    /// The runs of bits of a base that stages from `stage` on use: (lowest bit, length).
    pub fn live_runs(&self, base: BaseId, stage: u32) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for (bit, last) in self.bases[base].last_use.iter().enumerate() {
            if last.is_some_and(|last| last >= stage) {
                match runs.last_mut() {
                    Some((lo, len)) if *lo + *len == bit as u32 => *len += 1,
                    _ => runs.push((bit as u32, 1)),
                }
            }
        }
        runs
    }
}

fn whole(base: BaseId, len: u32) -> Segment {
    Segment::Bits {
        base,
        lo: 0,
        len,
        inverted: false,
    }
}

fn repeated(bit: &Segment, count: u32) -> Segment {
    match bit {
        Segment::Const(bits) if bits.is_zero() => Segment::Const(Bits::zero(count)),
        Segment::Const(_) => Segment::Const(Bits::ones(count)),
        Segment::Bits {
            base, lo, inverted, ..
        } => Segment::Repeat {
            base: *base,
            bit: *lo,
            count,
            inverted: *inverted,
        },
        Segment::Repeat {
            base,
            bit,
            inverted,
            ..
        } => Segment::Repeat {
            base: *base,
            bit: *bit,
            count,
            inverted: *inverted,
        },
    }
}

/// Joins runs that lie side by side in their base.
fn join_neighbours(segments: &mut Vec<Segment>) {
    let mut joined: Vec<Segment> = Vec::with_capacity(segments.len());
    for segment in segments.drain(..) {
        let merged = match (joined.last_mut(), &segment) {
            (
                Some(Segment::Bits {
                    base,
                    lo,
                    len,
                    inverted,
                }),
                Segment::Bits {
                    base: next,
                    lo: next_lo,
                    len: next_len,
                    inverted: next_inverted,
                },
            ) if base == next && *lo + *len == *next_lo && inverted == next_inverted => {
                *len += next_len;
                true
            }
            (Some(Segment::Const(bits)), Segment::Const(next)) => {
                *bits = Bits::concat(&[next.clone(), bits.clone()]);
                true
            }
            _ => false,
        };
        if !merged {
            joined.push(segment);
        }
    }
    *segments = joined;
}
