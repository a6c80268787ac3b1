//! Operations on maps.

use super::{low, number, Core, Written};
use crate::isa::{Action, Buffer, Operand, Reg};
use hardpath_ir::maps::Maps;
use hardpath_ir::{AtomicOp, MapId, May};

impl Core<'_> {
    pub(super) fn act_on_map(&mut self, action: &Action, maps: &mut Maps, written: &mut Written) {
        match *action {
            Action::Lookup { map, a, b, to, hit } => {
                let id = MapId::from_u32(map.into());
                let key = self.key(id, [a, b]);
                let found = maps.look_up(id, &key);
                written.predicates.push((hit, found.is_some()));
                give(written, to, found.unwrap_or(0).into());
            }
            Action::Update { map, a, b, may, to } => {
                let id = MapId::from_u32(map.into());
                let key = self.key(id, [a, None]);
                if let Some(b) = b {
                    self.put(Buffer::Value, 0, b);
                }
                let value = self.buffer(Buffer::Value, self.image.maps[id].value_bytes);
                let may = may.unwrap_or_else(|| self.word(Buffer::May, 0) as u8);
                let may = May::from_bits(u32::from(may & 3));
                let answer = maps.update(id, &key, &value, may);
                give(written, to, answer.code().into());
            }
            Action::Delete { map, a, b, to } => {
                let id = MapId::from_u32(map.into());
                let key = self.key(id, [a, b]);
                let answer = maps.delete(id, &key);
                give(written, to, answer.code().into());
            }
            Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                to,
            } => {
                let (id, entry, offset) = self.value_at(map, entry, offset);
                let value = load(maps, id, entry, offset, bytes);
                written.registers.push((to, value));
            }
            Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                value,
            } => {
                let (id, entry, offset) = self.value_at(map, entry, offset);
                store(maps, (id, entry, offset), self.operand(value), bytes);
            }
            Action::Atomic {
                map,
                op,
                entry,
                offset,
                bytes,
                value,
                to,
            } => {
                let (id, entry, offset) = self.value_at(map, entry, offset);
                let old = load(maps, id, entry, offset, bytes);
                let operand = self.operand(value);
                let expected = low(self.word(Buffer::Value, 0), bytes * 8);
                let new = match op {
                    AtomicOp::Add => old.wrapping_add(operand),
                    AtomicOp::And => old & operand,
                    AtomicOp::Or => old | operand,
                    AtomicOp::Xor => old ^ operand,
                    AtomicOp::CmpXchg if old != expected => old,
                    AtomicOp::Xchg | AtomicOp::CmpXchg => operand,
                };
                store(maps, (id, entry, offset), new, bytes);
                give(written, to, old);
            }
            _ => unreachable!("only operations on maps come here"),
        }
    }

    /// The key of the next operation, its first words from operands.
    fn key(&mut self, map: MapId, words: [Option<Operand>; 2]) -> Vec<u8> {
        for (at, word) in (0..).zip(words) {
            if let Some(word) = word {
                self.put(Buffer::Key, at, word);
            }
        }
        self.buffer(Buffer::Key, self.image.maps[map].key_bytes)
    }

    fn buffer(&self, buffer: Buffer, bytes: u32) -> Vec<u8> {
        let byte = |at: u32| (self.word(buffer, (at / 8) as u16) >> (at % 8 * 8)) as u8;
        (0..bytes).map(byte).collect()
    }

    fn value_at(&self, map: u8, entry: Operand, offset: u32) -> (MapId, u32, u32) {
        let entry = self.operand(entry);
        let offset = offset.wrapping_add((entry >> 32) as u32);
        (MapId::from_u32(map.into()), entry as u32, offset)
    }
}

fn give(written: &mut Written, to: Option<Reg>, value: u64) {
    written.registers.extend(to.map(|to| (to, value)));
}

fn load(maps: &Maps, map: MapId, entry: u32, offset: u32, bytes: u8) -> u64 {
    let value = maps.value(map, entry).unwrap_or(&[]);
    let byte = |at: u8| {
        let at = offset.wrapping_add(at.into());
        value.get(at as usize).copied().unwrap_or(0)
    };
    number((0..bytes).map(byte))
}

fn store(maps: &mut Maps, (map, entry, offset): (MapId, u32, u32), new: u64, bytes: u8) {
    let Some(value) = maps.value_mut(map, entry) else {
        return;
    };
    for (at, byte) in (0..bytes.into()).zip(new.to_le_bytes()) {
        let at: u32 = at;
        if let Some(to) = value.get_mut(offset.wrapping_add(at) as usize) {
            *to = byte;
        }
    }
}
