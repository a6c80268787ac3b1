//! Packet, stack and maps, which have no contents here: only what is done to them, and behind what else.

use super::state::{plain, sorted, Homes, Side};
use super::values::{Id, Op, Value, Values};
use crate::isa::{Action, Buffer, Field, Operand};
use hardpath_ir::structure::Memory;
use hardpath_ir::AtomicOp;
use std::hash::Hash;

/// Bytes of a memory: base, offset and count. `None`: any.
type Extent = Option<(Option<Field<Id>>, i64, i64)>;

/// A write to a memory.
#[derive(Clone, Copy)]
pub struct Write {
    /// Which one.
    pub memory: Memory,
    extent: Extent,
    /// What is written.
    pub id: Id,
}

/// A change of a map.
#[derive(Clone, Copy)]
pub struct Change {
    map: u8,
    /// Which bytes of values. `None`: keys, too.
    bytes: Option<(u32, u32)>,
    /// What is done.
    pub id: Id,
}

impl<R, P, H> Side<'_, R, P, H>
where
    R: Copy + Eq + Hash,
    P: Copy + Eq + Hash,
    H: Homes<R, P>,
{
    pub(super) fn on_memory(&mut self, values: &mut Values, op: &Op, written: &[R]) {
        let extent = |base: Option<Field<Id>>, offset: i32, bytes: u8| -> Extent {
            Some((base, offset.into(), bytes.into()))
        };
        match op.action {
            Action::Load {
                memory,
                base,
                offset,
                bytes,
                ..
            } => {
                let behind = self.met(memory, extent(base, offset, bytes), self.seen);
                let new = values.of(Value::Did(Box::new(plain(op)), Vec::new(), behind));
                self.give(values, op, written, new);
            }
            Action::Checksum { memory, .. } => {
                let behind = self.met(memory, None, self.seen);
                let new = values.of(Value::Did(Box::new(plain(op)), Vec::new(), behind));
                self.give(values, op, written, new);
            }
            Action::Store {
                memory,
                base,
                offset,
                bytes,
                ..
            } => self.write(values, op, memory, extent(base, offset, bytes), Vec::new()),
            Action::Clear { .. } => self.write(values, op, Memory::Packet, None, Vec::new()),
            Action::Copy { from, into, .. } => {
                let length = self.word(values, Buffer::Value, 0);
                // What is read is part of what is written.
                let read = self.met(from, None, self.seen);
                let read = read.into_iter().map(|id| (1, id));
                let words = [(0, length)].into_iter().chain(read).collect();
                self.write(values, op, into, None, words);
            }
            _ => unreachable!("only operations on memory come here"),
        }
    }

    fn write(
        &mut self,
        values: &mut Values,
        op: &Op,
        memory: Memory,
        extent: Extent,
        words: Vec<(u16, Id)>,
    ) {
        let behind = self.met(memory, extent, self.writes.len());
        let id = values.of(Value::Did(Box::new(*op), words, behind));
        self.writes.push(Write { memory, extent, id });
    }

    /// Which of the first `count` writes may meet these bytes.
    fn met(&self, memory: Memory, extent: Extent, count: usize) -> Vec<Id> {
        let meets = |write: &&Write| {
            let apart = match (write.extent, extent) {
                (Some((base, at, count)), Some((other_base, other, other_count))) => {
                    base == other_base && (at + count <= other || other + other_count <= at)
                }
                _ => false,
            };
            write.memory == memory && !apart
        };
        let met = self.writes[..count].iter().filter(meets);
        sorted(met.map(|write| write.id))
    }

    pub(super) fn on_map(&mut self, values: &mut Values, op: &Op, written: &[R], decided: &[P]) {
        match op.action {
            Action::Lookup { map, a, b, .. } => {
                let words = self.key(values, op, map, [a, b]);
                let keys = self.changes.iter();
                let keys = keys.filter(|change| change.map == map && change.bytes.is_none());
                let behind = sorted(keys.map(|change| change.id));
                let found = values.of(Value::Did(Box::new(plain(op)), words, behind));
                let (entry, hit) = (
                    values.of(Value::Of(found, 0)),
                    values.bit(Value::Of(found, 1)),
                );
                self.give(values, op, written, entry);
                self.decide(values, op, decided, hit);
            }
            Action::Update { map, a, b, may, .. } => {
                let mut words = self.key(values, op, map, [a, None]);
                if let Some(b) = b {
                    self.put(values, op, Buffer::Value, 0, b);
                }
                let (_, bytes) = self.words.maps[usize::from(map)];
                for at in 0..bytes.div_ceil(8) as u16 {
                    words.push((at, self.word(values, Buffer::Value, at)));
                }
                if may.is_none() {
                    words.push((0, self.word(values, Buffer::May, 0)));
                }
                self.change(values, op, written, (map, None), words);
            }
            Action::Delete { map, a, b, .. } => {
                let words = self.key(values, op, map, [a, b]);
                self.change(values, op, written, (map, None), words);
            }
            Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                ..
            } => {
                let behind = self.changed(map, Some(part(entry, offset, bytes)));
                let new = values.of(Value::Did(Box::new(plain(op)), Vec::new(), behind));
                self.give(values, op, written, new);
            }
            Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                ..
            } => {
                let place = (map, Some(part(entry, offset, bytes)));
                self.change(values, op, written, place, Vec::new());
            }
            Action::Atomic {
                map,
                op: what,
                entry,
                offset,
                bytes,
                ..
            } => {
                let place = (map, Some(part(entry, offset, bytes)));
                let words = match what {
                    AtomicOp::CmpXchg => {
                        vec![(0, self.word(values, Buffer::Value, 0))]
                    }
                    _ => Vec::new(),
                };
                self.change(values, op, written, place, words);
            }
            _ => unreachable!("only operations on maps come here"),
        }
    }

    fn change(
        &mut self,
        values: &mut Values,
        op: &Op,
        written: &[R],
        (map, bytes): (u8, Option<(u32, u32)>),
        words: Vec<(u16, Id)>,
    ) {
        let behind = self.changed(map, bytes);
        let id = values.of(Value::Did(Box::new(*op), words, behind));
        self.changes.push(Change { map, bytes, id });
        let answer = values.of(Value::Of(id, 0));
        self.give(values, op, written, answer);
    }

    /// Which changes of a map may meet these bytes of its values.
    fn changed(&self, map: u8, bytes: Option<(u32, u32)>) -> Vec<Id> {
        let meets = |change: &&Change| {
            let apart = match (change.bytes, bytes) {
                (Some((from, end)), Some((other, other_end))) => end <= other || other_end <= from,
                _ => false,
            };
            change.map == map && !apart
        };
        sorted(self.changes.iter().filter(meets).map(|change| change.id))
    }

    fn key(
        &mut self,
        values: &mut Values,
        op: &Op,
        map: u8,
        given: [Option<Operand<Id>>; 2],
    ) -> Vec<(u16, Id)> {
        for (at, word) in (0..).zip(given) {
            if let Some(word) = word {
                self.put(values, op, Buffer::Key, at, word);
            }
        }
        let (bytes, _) = self.words.maps[usize::from(map)];
        let words = 0..bytes.div_ceil(8) as u16;
        words
            .map(|at| (at, self.word(values, Buffer::Key, at)))
            .collect()
    }
}

/// Bytes of a value that an access may meet.
fn part(entry: Operand<Id>, offset: u32, bytes: u8) -> (u32, u32) {
    let adds = match entry {
        Operand::Field(field) => field.width > 32,
        Operand::Number(number) => number >> 32 != 0,
    };
    match offset.checked_add(bytes.into()) {
        Some(end) if !adds => (offset, end),
        _ => (0, u32::MAX),
    }
}
