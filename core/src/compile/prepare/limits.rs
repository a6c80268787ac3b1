//! Memory around a packet that its program has no use for is taken back: what is declared is cleared for each packet, line by line.
//!
//! A program that does not move its packet has no right to a byte outside of it (front ends look at that), so it needs no memory there, and
//! one that moves its front by so much needs so much in front.

use hardpath_ir::{Input, Leaving, Op, Program, Sent, Terminator, Value};
use std::collections::HashMap;

/// Narrows headroom and tail to what packets can reach.
pub fn narrow(program: &mut Program) {
    let incoming = incoming(program);
    let mut look = Look {
        program,
        incoming: &incoming,
        seen: Vec::new(),
        known: HashMap::new(),
        left: MOST_LOOKED_AT,
    };
    let mut headroom = 0;
    let mut has_tail = false;
    for block in &program.order {
        for inst in &program.blocks[*block].insts {
            let data = &program.insts[*inst];
            has_tail |= matches!(data.op, Op::PacketClear);
            for offset in offsets(&data.op, &data.args) {
                headroom = headroom.max(look.needs(offset));
            }
        }
        let Terminator::Emit(emit) = &program.blocks[*block].terminator else {
            continue;
        };
        let copies = emit.copies.iter().map(|copy| &copy.sent);
        for Sent { leaves, .. } in std::iter::once(&emit.packet).chain(copies) {
            if let Some(leaves) = leaves {
                headroom = headroom.max(look.needs(leaves.from));
                has_tail |= !look.never_grows(leaves);
            }
        }
    }
    program.limits.headroom = headroom;
    if !has_tail {
        program.limits.tail = 0;
    }
}

/// Where an operation reads and writes the packet.
fn offsets(op: &Op, args: &[Value]) -> Vec<Value> {
    match op {
        Op::PacketLoad | Op::PacketStore => vec![args[0]],
        Op::Whole(_) => args.to_vec(),
        _ => Vec::new(),
    }
}

/// Behind so many values nobody looks for more.
const MOST_LOOKED_AT: u32 = 100_000;

type Incoming = HashMap<Value, Vec<Value>>;

/// What each parameter of a block may be.
fn incoming(program: &Program) -> Incoming {
    let mut all: Incoming = HashMap::new();
    for block in &program.order {
        for target in program.blocks[*block].terminator.targets() {
            let params = &program.blocks[target.block].params;
            for (param, arg) in std::iter::zip(params, &target.args) {
                all.entry(*param).or_default().push(*arg);
            }
        }
    }
    all
}

struct Look<'a> {
    program: &'a Program,
    incoming: &'a Incoming,
    /// Parameters that are being looked at.
    seen: Vec<Value>,
    known: HashMap<Value, Option<i64>>,
    /// How many more are looked at.
    left: u32,
}

impl Look<'_> {
    /// Bytes in front of the packet that an offset can mean.
    fn needs(&mut self, offset: Value) -> u32 {
        let declared = self.program.limits.headroom;
        match self.lowest(offset) {
            Some(lowest) => (-lowest).clamp(0, declared.into()) as u32,
            None => declared,
        }
    }

    /// A number that an offset is not below; `None`: nobody knows. What comes from somewhere else is at least 0: a program shows that of
    /// all that it adds to its packet's address.
    fn lowest(&mut self, value: Value) -> Option<i64> {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let lowest = self.find_lowest(value);
        if self.seen.is_empty() {
            self.known.insert(value, lowest);
        }
        lowest
    }

    fn find_lowest(&mut self, value: Value) -> Option<i64> {
        self.left = self.left.checked_sub(1)?;
        if let Some(bits) = self.program.as_const(value) {
            let above = 64 - bits.width().min(64);
            return Some((bits.low_u64() << above) as i64 >> above);
        }
        let Some(data) = self.program.def_inst(value) else {
            let Some(args) = self.incoming.get(&value) else {
                return Some(0);
            };
            // Around a loop it may go down in each round.
            if self.seen.contains(&value) {
                return None;
            }
            self.seen.push(value);
            let lowest: Option<Vec<i64>> = args.iter().map(|arg| self.lowest(*arg)).collect();
            self.seen.pop();
            return lowest?.into_iter().min();
        };
        let mut arg = |number: usize| self.lowest(data.args[number]);
        match data.op {
            Op::Select => Some(arg(1)?.min(arg(2)?)),
            Op::Add => Some(arg(0)? + arg(1)?),
            Op::SExt | Op::Slice { lo: 0, .. } => arg(0),
            // Of numbers that are not below 0 these make others.
            Op::ZExt | Op::And | Op::Or | Op::Shl | Op::LShr | Op::Slice { .. } | Op::Concat => {
                let args = 0..data.args.len();
                let all = args.map(arg).collect::<Option<Vec<i64>>>()?;
                all.into_iter().all(|lowest| lowest >= 0).then_some(0)
            }
            Op::PacketLoad | Op::StackLoad | Op::MapLoad(_) | Op::Input(_) => Some(0),
            _ => None,
        }
    }

    /// A packet does not end behind its length: its end is the length, or where what it had ends.
    fn never_grows(&mut self, leaves: &Leaving) -> bool {
        leaves.zeros == leaves.end || self.is_length(leaves.end)
    }

    fn is_length(&mut self, value: Value) -> bool {
        match self.program.def_inst(value) {
            Some(data) => match data.op {
                Op::Input(Input::Length) => true,
                Op::ZExt | Op::Slice { .. } => self.is_length(data.args[0]),
                _ => false,
            },
            None => {
                if self.seen.contains(&value) {
                    return true;
                }
                self.seen.push(value);
                let args = self.incoming.get(&value).cloned().unwrap_or_default();
                let all = !args.is_empty() && args.into_iter().all(|arg| self.is_length(arg));
                self.seen.pop();
                all
            }
        }
    }
}
