//! What one of the two sides has done since its block was entered.

use super::memory::{Change, Write};
use super::values::{Bit, Id, Op, Value, Values};
use crate::isa::{exit, Action, Buffer, Ending, Into, Operand, Operation, Way};
use crate::rename::Names;
use hardpath_ir::structure::Memory;
use hardpath_ir::Output;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// What of a program decides which words of buffers an operation takes.
pub struct Words {
    /// Bytes of key and value of each map.
    pub maps: Vec<(u32, u32)>,
    /// Bits of all outputs.
    pub outputs: u32,
}

impl Words {
    /// Of a program's declarations.
    pub fn of(image: &crate::image::Image) -> Words {
        let maps = image.maps.values();
        let ends = Output::places(&image.outputs).map(|(lo, output)| lo + output.width);
        Words {
            maps: maps.map(|map| (map.key_bytes, map.value_bytes)).collect(),
            outputs: ends.last().unwrap_or(0),
        }
    }
}

/// How a side calls its registers and predicates, as the rows call them.
pub trait Homes<R, P> {
    /// The value that a register has when the block is entered.
    fn reg(&self, reg: R) -> Value;
    /// The one of a predicate; `None`: it is always 1.
    fn bit(&self, pred: P) -> Option<Value>;
}

/// What a side has done.
pub struct Side<'a, R, P, H> {
    homes: &'a H,
    pub(super) words: &'a Words,
    regs: HashMap<R, Id>,
    bits: HashMap<P, Bit>,
    /// What the row writes, which its own operations do not see.
    new_regs: HashMap<R, Id>,
    new_bits: HashMap<P, Bit>,
    buffers: BTreeMap<(u8, u16), Id>,
    pub(super) writes: Vec<Write>,
    /// Writes of rows before.
    pub(super) seen: usize,
    pub(super) changes: Vec<Change>,
    sends: Vec<Id>,
}

/// Gives an operation values for names, and remembers what it writes.
struct Named<'s, 'v, R, P, H> {
    side: &'s Side<'s, R, P, H>,
    values: &'v mut Values,
    written: Vec<R>,
    decided: Vec<P>,
}

impl<R: Copy + Eq + Hash, P: Copy + Eq + Hash, T, H: Homes<R, P>> Names<R, P, T>
    for Named<'_, '_, R, P, H>
{
    type Reg = Id;
    type Pred = Bit;
    type Place = ();

    fn read(&mut self, reg: R) -> Id {
        let home = || self.side.homes.reg(reg);
        let known = self.side.regs.get(&reg).copied();
        known.unwrap_or_else(|| self.values.of(home()))
    }

    fn write(&mut self, reg: R) -> Id {
        self.written.push(reg);
        0
    }

    fn ask(&mut self, pred: P) -> Bit {
        let Some(home) = self.side.homes.bit(pred) else {
            return self.values.one();
        };
        let known = self.side.bits.get(&pred).copied();
        known.unwrap_or_else(|| self.values.bit(home))
    }

    fn decide(&mut self, pred: P, _: bool) -> Bit {
        self.decided.push(pred);
        self.values.one()
    }

    fn place(&mut self, _: T) {}
}

impl<'a, R, P, H> Side<'a, R, P, H>
where
    R: Copy + Eq + Hash,
    P: Copy + Eq + Hash,
    H: Homes<R, P>,
{
    /// When the block is entered.
    pub fn new(homes: &'a H, words: &'a Words) -> Self {
        Side {
            homes,
            words,
            regs: HashMap::new(),
            bits: HashMap::new(),
            new_regs: HashMap::new(),
            new_bits: HashMap::new(),
            buffers: BTreeMap::new(),
            writes: Vec::new(),
            seen: 0,
            changes: Vec::new(),
            sends: Vec::new(),
        }
    }

    /// A register's value behind what was done.
    pub fn reg(&self, values: &mut Values, reg: R) -> Id {
        let known = self.new_regs.get(&reg).or_else(|| self.regs.get(&reg));
        known
            .copied()
            .unwrap_or_else(|| values.of(self.homes.reg(reg)))
    }

    /// A predicate's value behind what was done.
    pub fn bit(&self, values: &mut Values, pred: P) -> Bit {
        let Some(home) = self.homes.bit(pred) else {
            return values.one();
        };
        let known = self.new_bits.get(&pred).or_else(|| self.bits.get(&pred));
        known.copied().unwrap_or_else(|| values.bit(home))
    }

    /// What was written can be read from here on: the row is over.
    pub fn end_row(&mut self) {
        self.regs.extend(self.new_regs.drain());
        self.bits.extend(self.new_bits.drain());
        self.seen = self.writes.len();
    }

    fn named<T: Copy>(&self, values: &mut Values, op: &Operation<R, P, T>) -> (Op, Vec<R>, Vec<P>) {
        let mut named = Named {
            side: self,
            values,
            written: Vec::new(),
            decided: Vec::new(),
        };
        let op = op.rename(&mut named);
        (op, named.written, named.decided)
    }

    /// Does an operation that goes nowhere.
    pub fn act<T: Copy>(&mut self, values: &mut Values, op: &Operation<R, P, T>) {
        let (op, written, decided) = self.named(values, op);
        match op.action {
            Action::Put { buffer, at, a, b } => {
                self.put(values, &op, buffer, at, a);
                if let Some(b) = b {
                    self.put(values, &op, buffer, at + 1, b);
                }
            }
            Action::Send { ending } => {
                let words = self.exit_words(values, &ending);
                let sent = values.of(Value::Did(Box::new(op), words, Vec::new()));
                self.sends.push(sent);
            }
            Action::Compare { test, into, .. } => self.compare(values, &op, test, into, &decided),
            Action::Combine { .. } => {
                let new = values.bit(unguarded(&op));
                self.decide(values, &op, &decided, new);
            }
            Action::Load { .. }
            | Action::Store { .. }
            | Action::Clear { .. }
            | Action::Checksum { .. }
            | Action::Copy { .. } => self.on_memory(values, &op, &written),
            Action::Move { a, .. } => {
                let new = values.operand(a);
                self.give(values, &op, &written, new);
            }
            Action::Input { .. }
            | Action::Compute { .. }
            | Action::Insert { .. }
            | Action::Select { .. } => {
                let new = values.of(unguarded(&op));
                self.give(values, &op, &written, new);
            }
            Action::Branch { .. } | Action::Indirect { .. } | Action::Exit { .. } => {
                unreachable!("what leaves goes by Side::leave")
            }
            _ => self.on_map(values, &op, &written, &decided),
        }
    }

    /// What a branch or exit asks and says.
    pub fn leave<T: Copy>(&self, values: &mut Values, op: &Operation<R, P, T>) -> Id {
        let (op, ..) = self.named(values, op);
        let words = match op.action {
            Action::Exit { ending, .. } => self.exit_words(values, &ending),
            _ => Vec::new(),
        };
        values.of(Value::Did(Box::new(op), words, Vec::new()))
    }

    pub(super) fn give(&mut self, values: &mut Values, op: &Op, written: &[R], new: Id) {
        for &reg in written {
            let value = values.chosen(op.guard, new, |values| self.reg(values, reg));
            self.new_regs.insert(reg, value);
        }
    }

    pub(super) fn decide(&mut self, values: &mut Values, op: &Op, decided: &[P], new: Bit) {
        for &pred in decided {
            let value = match op.guard {
                None => new,
                Some(_) => {
                    let (when, old) = (values.guard(op.guard), self.bit(values, pred));
                    values.bit(Value::ChosenBit(when, new, old))
                }
            };
            self.new_bits.insert(pred, value);
        }
    }

    fn compare(
        &mut self,
        values: &mut Values,
        op: &Op,
        test: crate::isa::Test<Id>,
        into: Into,
        decided: &[P],
    ) {
        let yes = values.bit(Value::Test(test));
        let no = Bit {
            negated: true,
            ..yes
        };
        let when = values.guard(op.guard);
        match into {
            Into::Set => {
                self.decide(values, op, &decided[..1], yes);
                self.decide(values, op, &decided[1..], no);
            }
            Into::Both => {
                let one = values.one();
                let zero = Bit {
                    negated: true,
                    ..one
                };
                for (&pred, new) in std::iter::zip(decided, [yes, no]) {
                    let new = values.bit(Value::ChosenBit(when, new, zero));
                    self.new_bits.insert(pred, new);
                }
            }
            Into::And | Into::Or => {
                let old = self.bit(values, decided[0]);
                let new = values.gathered(into == Into::Or, old, (when, yes.id));
                self.new_bits.insert(decided[0], new);
            }
        }
    }

    pub(super) fn put(
        &mut self,
        values: &mut Values,
        op: &Op,
        buffer: Buffer,
        at: u16,
        a: Operand<Id>,
    ) {
        let new = values.operand(a);
        let new = values.chosen(op.guard, new, |values| self.word(values, buffer, at));
        self.buffers.insert((buffer as u8, at), new);
    }

    pub(super) fn word(&self, values: &mut Values, buffer: Buffer, at: u16) -> Id {
        let known = self.buffers.get(&(buffer as u8, at)).copied();
        known.unwrap_or_else(|| values.entry_word(buffer, at))
    }

    /// The words that an ending takes.
    fn exit_words(&self, values: &mut Values, ending: &Ending) -> Vec<(u16, Id)> {
        let mut taken = Vec::new();
        if ending.way == Way::Buffer {
            taken.push(exit::WAY);
        }
        if ending.leaving {
            taken.push(exit::LEAVING);
        }
        if ending.forwarded.is_none() || ending.each.is_some() {
            taken.push(exit::FLAGS);
        }
        if ending.outputs.is_none() {
            let words = self.words.outputs.div_ceil(64) as u16;
            taken.extend((0..words).map(|at| exit::OUTPUTS + at));
        }
        let taken = taken.into_iter();
        let mut words: Vec<(u16, Id)> = taken
            .map(|at| (at, self.word(values, Buffer::Exit, at)))
            .collect();
        if ending.leaving {
            let put = self.put_for_exit(values);
            words.extend(put.into_iter().filter(|(at, _)| *at >= exit::FRONT));
        }
        words
    }

    /// The words of [`Buffer::Exit`] that are others than when the block was entered.
    fn put_for_exit(&self, values: &mut Values) -> Vec<(u16, Id)> {
        let mut words = Vec::new();
        for (&(buffer, at), &id) in &self.buffers {
            if buffer == Buffer::Exit as u8 && values.entry_word(Buffer::Exit, at) != id {
                words.push((at, id));
            }
        }
        words
    }

    /// What is not in registers, for whoever goes on with another block.
    pub fn rest(&self, values: &mut Values) -> Rest {
        let memory = |memory: Memory| {
            let writes = self.writes.iter();
            let writes = writes.filter(|write| write.memory == memory);
            sorted(writes.map(|write| write.id))
        };
        Rest {
            packet: memory(Memory::Packet),
            stack: memory(Memory::Stack),
            maps: sorted(self.changes.iter().map(|change| change.id)),
            sends: self.sends.clone(),
            exit: self.put_for_exit(values),
        }
    }
}

/// What is not in registers.
#[derive(PartialEq, Eq)]
pub struct Rest {
    /// Writes to the packet: those that may meet are told apart by what they stand behind.
    pub packet: Vec<Id>,
    /// Writes to the stack.
    pub stack: Vec<Id>,
    /// Changes of maps.
    pub maps: Vec<Id>,
    /// Copies that leave, in their order.
    pub sends: Vec<Id>,
    /// What was put into [`Buffer::Exit`].
    pub exit: Vec<(u16, Id)>,
}

pub(super) fn plain(op: &Op) -> Op {
    Op { guard: None, ..*op }
}

/// The value that an operation on registers gives where it happens.
fn unguarded(op: &Op) -> Value {
    Value::Did(Box::new(plain(op)), Vec::new(), Vec::new())
}

pub(super) fn sorted(ids: impl Iterator<Item = Id>) -> Vec<Id> {
    let mut ids: Vec<Id> = ids.collect();
    ids.sort_unstable();
    ids
}
