//! What operations do beside registers, and what keeps two of them in order.

use super::code::{Label, Op, Pred, Reg, Step};
use crate::isa::{Action, Buffer, Ending, Field, Operand, Way};
use hardpath_ir::structure::Memory;
use hardpath_ir::AtomicOp;

/// What is added to an offset, if something is: with the version of its register.
type Base = Option<(Field<Reg>, u32)>;

/// Bytes of a memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bytes {
    /// Which one.
    pub memory: Memory,
    /// Where they begin. `None`: anywhere.
    pub at: Option<(Base, i64)>,
    /// How many.
    pub count: i64,
}

impl Bytes {
    fn everything(memory: Memory) -> Bytes {
        Bytes {
            memory,
            at: None,
            count: 0,
        }
    }

    /// So many from a known place on.
    pub fn fixed(memory: Memory, offset: i32, count: u8) -> Bytes {
        Bytes {
            memory,
            at: Some((None, offset.into())),
            count: count.into(),
        }
    }

    /// They may share a byte.
    fn overlap(&self, other: &Bytes) -> bool {
        if self.memory != other.memory {
            return false;
        }
        match (self.at, other.at) {
            (Some((base, at)), Some((other_base, other_at))) if base == other_base => {
                at < other_at + other.count && other_at < at + self.count
            }
            _ => true,
        }
    }
}

/// Part of a map.
#[derive(Clone, Copy, Debug)]
struct Part {
    map: u8,
    /// Bytes of the values; `None`: the keys, too.
    bytes: Option<(u32, u32)>,
}

impl Part {
    fn overlaps(&self, other: &Part) -> bool {
        let apart = match (self.bytes, other.bytes) {
            (Some((one, end)), Some((other, other_end))) => end <= other || other_end <= one,
            _ => false,
        };
        self.map == other.map && !apart
    }
}

/// What an operation does.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    reads: Vec<Bytes>,
    writes: Vec<Bytes>,
    map_reads: Option<Part>,
    map_writes: Option<Part>,
    looks_up: Option<u8>,
    puts: Option<(Buffer, u16, u16)>,
    takes: Vec<Buffer>,
    /// A copy leaves.
    sends: bool,
}

/// How close one may come behind another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// In a later row.
    Row,
    /// In the same row, in any lane, or later.
    Same,
    /// In the same row in a later lane, or later.
    Lane,
}

impl Effects {
    /// Of a step. `version`: how often a register has been written.
    pub fn of(step: &Step, version: impl Fn(Reg) -> u32) -> Effects {
        let bytes = |memory, base: Option<Field<Reg>>, offset: i32, count: u8| Bytes {
            memory,
            at: Some((base.map(|base| (base, version(base.reg))), offset.into())),
            count: count.into(),
        };
        let mut all = Effects::default();
        match step.op.action {
            Action::Load {
                memory,
                base,
                offset,
                bytes: count,
                ..
            } => all.reads.push(bytes(memory, base, offset, count)),
            Action::Store {
                memory,
                base,
                offset,
                bytes: count,
                ..
            } => all.writes.push(bytes(memory, base, offset, count)),
            Action::Clear { .. } => all.writes.push(Bytes::everything(Memory::Packet)),
            Action::Checksum { memory, .. } => all.reads.push(Bytes::everything(memory)),
            Action::Copy { from, into, .. } => {
                all.reads.push(Bytes::everything(from));
                all.writes.push(Bytes::everything(into));
                all.takes.push(Buffer::Value);
            }
            Action::Put { buffer, at, b, .. } => {
                all.puts = Some((buffer, at, at + 1 + u16::from(b.is_some())));
            }
            Action::Send { .. } => {
                all.sends = true;
                all.takes.push(Buffer::Exit);
            }
            Action::Exit { .. } => all.takes.push(Buffer::Exit),
            _ => all.on_map(&step.op),
        }
        all
    }

    fn on_map(&mut self, op: &Op) {
        let value = |map: u8, entry: &Operand<Reg>, offset: u32, bytes: u8| {
            let exact = match entry {
                Operand::Field(field) => field.width <= 32,
                Operand::Number(number) => number >> 32 == 0,
            };
            let end = offset.checked_add(bytes.into()).filter(|_| exact);
            Part {
                map,
                bytes: Some(end.map_or((0, u32::MAX), |end| (offset, end))),
            }
        };
        let all = |map: u8| Part { map, bytes: None };
        match &op.action {
            Action::Lookup { map, .. } => {
                self.looks_up = Some(*map);
                self.takes.push(Buffer::Key);
            }
            Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                ..
            } => self.map_reads = Some(value(*map, entry, *offset, *bytes)),
            Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                ..
            } => self.map_writes = Some(value(*map, entry, *offset, *bytes)),
            Action::Atomic {
                map,
                op: what,
                entry,
                offset,
                bytes,
                ..
            } => {
                self.map_writes = Some(value(*map, entry, *offset, *bytes));
                if *what == AtomicOp::CmpXchg {
                    self.takes.push(Buffer::Value);
                }
            }
            Action::Update { map, .. } => {
                self.map_writes = Some(all(*map));
                self.takes.extend([Buffer::Key, Buffer::Value, Buffer::May]);
            }
            Action::Delete { map, .. } => {
                self.map_writes = Some(all(*map));
                self.takes.push(Buffer::Key);
            }
            _ => {}
        }
    }

    /// Some of these bytes may be written.
    pub fn overwrites(&self, bytes: &Bytes) -> bool {
        self.writes.iter().any(|writes| writes.overlap(bytes))
    }

    /// Nothing but registers.
    pub fn is_none(&self) -> bool {
        self.reads.is_empty()
            && self.writes.is_empty()
            && self.map_reads.is_none()
            && self.map_writes.is_none()
            && self.looks_up.is_none()
            && self.puts.is_none()
            && self.takes.is_empty()
    }

    /// What keeps a later operation behind this one.
    pub fn orders(&self, later: &Effects) -> Option<After> {
        let overlap = |one: &[Bytes], other: &[Bytes]| {
            one.iter()
                .any(|one| other.iter().any(|other| one.overlap(other)))
        };
        if overlap(&self.writes, &later.reads) || overlap(&self.writes, &later.writes) {
            return Some(After::Row);
        }
        if self.orders_maps(later) {
            return Some(After::Row);
        }
        if let Some(after) = self.orders_buffers(later) {
            return Some(after);
        }
        if self.sends && later.sends {
            return Some(After::Row);
        }
        // What a row reads is as it was before the row.
        overlap(&self.reads, &later.writes).then_some(After::Same)
    }

    fn orders_maps(&self, later: &Effects) -> bool {
        let meet = |one: Option<Part>, other: Option<Part>| {
            one.zip(other)
                .is_some_and(|(one, other)| one.overlaps(&other))
        };
        // A lookup sees keys, which only updates and deletes change.
        let changes_keys = |writes: Option<Part>, map: Option<u8>| {
            let keys = writes.filter(|part| part.bytes.is_none());
            keys.zip(map).is_some_and(|(part, map)| part.map == map)
        };
        meet(self.map_writes, later.map_reads)
            || meet(self.map_writes, later.map_writes)
            || meet(self.map_reads, later.map_writes)
            || changes_keys(self.map_writes, later.looks_up)
            || changes_keys(later.map_writes, self.looks_up)
    }

    fn orders_buffers(&self, later: &Effects) -> Option<After> {
        if let Some((buffer, first, end)) = self.puts {
            if later.takes.contains(&buffer) {
                return Some(After::Lane);
            }
            if let Some((other, other_first, other_end)) = later.puts {
                let meet = first < other_end && other_first < end;
                return (buffer == other && meet).then_some(After::Row);
            }
        }
        // An operation puts what it has itself, and leaves nothing in the buffer: it must not come between the words of another one and
        // that.
        let both = |buffer: &Buffer| *buffer != Buffer::Exit && later.takes.contains(buffer);
        if self.takes.iter().any(both) {
            return Some(After::Lane);
        }
        let (buffer, ..) = later.puts?;
        self.takes.contains(&buffer).then_some(After::Row)
    }

    /// Somebody sees it who goes on where a branch or an exit leads.
    pub fn matters_at(&self, leaving: &Step, sends: bool) -> bool {
        let exit = match &leaving.op.action {
            Action::Exit { ending, .. } => ending,
            _ => {
                let key = self.puts.is_some_and(|(buffer, ..)| buffer != Buffer::Exit);
                return self.changes() && !key;
            }
        };
        let bytes = exit.forwarded != Some(false) || sends;
        let writes = |bytes: &Bytes| bytes.memory == Memory::Packet;
        let puts = self.puts.is_some_and(|(buffer, ..)| buffer == Buffer::Exit);
        self.map_writes.is_some()
            || self.sends
            || bytes && self.writes.iter().any(writes)
            || puts && takes_buffer(exit)
    }

    /// It may not stand in front of a branch or exit behind which it stood.
    pub fn stays_behind(&self, leaving: &Step, sends: bool) -> bool {
        self.looks_up.is_some()
            || self.puts.is_some_and(|(buffer, ..)| buffer == Buffer::Exit)
            || self.changes() && self.matters_at(leaving, sends)
    }

    fn changes(&self) -> bool {
        !self.writes.is_empty() || self.map_writes.is_some() || self.puts.is_some() || self.sends
    }
}

fn takes_buffer(ending: &Ending) -> bool {
    ending.forwarded.is_none()
        || ending.outputs.is_none()
        || ending.way == Way::Buffer
        || ending.leaving
        || ending.each.is_some()
}

/// What of a row an operation takes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Takes {
    /// Loads from packet or stack.
    pub loads: u8,
    /// Stores there.
    pub stores: u8,
    /// Operations on maps.
    pub maps: u8,
    /// Words for buffers.
    pub puts: u8,
    /// Multiplications.
    pub products: u8,
    /// What enters beside the packet.
    pub inputs: u8,
    /// What stands beside the lanes: a divider, sums and copies of many bytes.
    pub slow: u8,
    /// Those of them that read or write byte by byte: behind all stores, so none is in the same row.
    pub many: u8,
    /// Further copies of the packet.
    pub sends: u8,
}

/// What an operation takes.
pub fn takes<R, T>(action: &Action<R, Pred, T>) -> Takes {
    use crate::isa::Compute;
    let none = Takes::default();
    match action {
        Action::Load { .. } => Takes { loads: 1, ..none },
        Action::Store { .. } => Takes { stores: 1, ..none },
        Action::Put { .. } => Takes { puts: 1, ..none },
        Action::Input { .. } => Takes { inputs: 1, ..none },
        Action::Send { .. } => Takes { sends: 1, ..none },
        Action::Checksum { .. } | Action::Copy { .. } | Action::Clear { .. } => Takes {
            slow: 1,
            many: 1,
            ..none
        },
        Action::Lookup { .. }
        | Action::Update { .. }
        | Action::Delete { .. }
        | Action::MapLoad { .. }
        | Action::MapStore { .. }
        | Action::Atomic { .. } => Takes { maps: 1, ..none },
        Action::Compute { op, .. } => match op {
            Compute::Mul => Takes {
                products: 1,
                ..none
            },
            Compute::UDiv | Compute::URem | Compute::SDiv | Compute::SRem => {
                Takes { slow: 1, ..none }
            }
            _ => none,
        },
        _ => none,
    }
}

/// Where control may go from a step.
pub fn goes(step: &Step) -> Option<Label> {
    match step.op.action {
        Action::Branch { to, .. } => Some(to),
        _ => None,
    }
}

/// Nobody sees that it happens but by its results.
pub fn is_silent<R, P, T>(action: &Action<R, P, T>) -> bool {
    matches!(
        action,
        Action::Move { .. }
            | Action::Input { .. }
            | Action::Compute { .. }
            | Action::Insert { .. }
            | Action::Select { .. }
            | Action::Compare { .. }
            | Action::Combine { .. }
            | Action::Load { .. }
            | Action::MapLoad { .. }
            | Action::Checksum { .. }
    )
}
