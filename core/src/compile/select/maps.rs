//! Operations on maps.

use super::super::code::{Pred, Reg};
use super::super::savings::Saving;
use super::bools::Bool;
use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::isa::{Action, Buffer, Guard, Operand};
use hardpath_ir::{InstData, MapId, Op, Value};
use std::rc::Rc;

impl Select<'_> {
    pub(super) fn map_operation(&mut self, data: &InstData) {
        match data.op {
            Op::MapLookup(map) => self.lookup(data, number(map)),
            Op::MapLoad(map) => self.map_load(data, number(map)),
            Op::MapStore(map) => {
                let (entry, offset) = self.value_at(data.args[0], data.args[1]);
                let value = self.value(data.args[2]);
                let bytes = pieces::width(&value) / 8;
                for (first, bytes) in self.accesses(bytes) {
                    let value = self.bytes(&value, first, bytes);
                    self.emit(Action::MapStore {
                        map: number(map),
                        entry,
                        offset: offset.wrapping_add(first),
                        bytes,
                        value,
                    });
                }
            }
            Op::MapAtomic(map, op) => {
                let width = self.program.width(data.results[0]);
                if width > 64 {
                    self.refuse(data, "change more than 64 bits of a value at once");
                    let zeros = pieces::zeros(width);
                    return self.define(data.results[0], zeros);
                }
                if let Some(&expected) = data.args.get(3) {
                    let expected = self.operand_of(expected);
                    self.put_word(Buffer::Value, 0, expected);
                }
                let (entry, offset) = self.value_at(data.args[0], data.args[1]);
                let value = self.operand_of(data.args[2]);
                let to = self.wanted(data.results[0], width as u8);
                self.emit(Action::Atomic {
                    map: number(map),
                    op,
                    entry,
                    offset,
                    bytes: (width / 8) as u8,
                    value,
                    to,
                });
            }
            Op::MapUpdate(map) => self.update(data, number(map)),
            Op::MapDelete(map) => {
                let key = self.value(data.args[0]);
                let [a, b] = self.key(&key, 2);
                let to = self.wanted(data.results[0], 3);
                let map = number(map);
                self.emit(Action::Delete { map, a, b, to });
            }
            _ => unreachable!("only operations on maps come here"),
        }
    }

    /// A register for a result that somebody uses.
    fn wanted(&mut self, value: Value, width: u8) -> Option<Reg> {
        let reg = self.code.reg();
        self.define(value, vec![Piece::of(reg, width)]);
        (self.uses[value] > 0).then_some(reg)
    }

    fn lookup(&mut self, data: &InstData, map: u8) {
        let key = self.value(data.args[0]);
        let [a, b] = self.key(&key, 2);
        let (hit, entry) = (data.results[0], data.results[1]);
        let to = self.wanted(entry, 32);
        let pred = match self.uses[hit] > 0 {
            true => self.code.pred(),
            false => Pred::ONE,
        };
        self.emit(Action::Lookup {
            map,
            a,
            b,
            to,
            hit: pred,
        });
        let guard = Guard {
            pred,
            negated: false,
        };
        self.bools.insert(hit, Rc::new(Bool::Is(guard)));
    }

    fn map_load(&mut self, data: &InstData, map: u8) {
        let result = data.results[0];
        let bytes = self.program.width(result) / 8;
        let (entry, offset) = self.value_at(data.args[0], data.args[1]);
        let mut all: Pieces = Vec::new();
        for (first, count) in self.accesses(bytes) {
            let to = self.code.reg();
            self.emit(Action::MapLoad {
                map,
                entry,
                offset: offset.wrapping_add(first),
                bytes: count,
                to,
            });
            all.push(Piece::of(to, count * 8));
        }
        self.define(result, all);
    }

    fn update(&mut self, data: &InstData, map: u8) {
        let (key, value) = (self.value(data.args[0]), self.value(data.args[1]));
        let may = self.value(data.args[2]);
        let may = pieces::number(&may).map(|may| may as u8).or_else(|| {
            let may = self.operand(&may);
            self.put_word(Buffer::May, 0, may);
            None
        });
        let [b, _] = self.words(Buffer::Value, &value, 1);
        let [a, _] = self.key(&key, 1);
        let to = self.wanted(data.results[0], 3);
        self.emit(Action::Update { map, a, b, may, to });
    }

    fn key(&mut self, key: &Pieces, given: u32) -> [Option<Operand<Reg>>; 2] {
        self.words(Buffer::Key, key, given)
    }

    /// Puts all words but the first ones into a buffer, and gives those.
    fn words(&mut self, buffer: Buffer, all: &Pieces, given: u32) -> [Option<Operand<Reg>>; 2] {
        let words = pieces::width(all).div_ceil(64);
        let given = match self.without.keeps(Saving::Keys) {
            true => given,
            false => 0,
        };
        for at in (given..words).step_by(2) {
            let a = self.word(all, at);
            let b = (at + 1 < words).then(|| self.word(all, at + 1));
            let at = at as u16;
            self.emit(Action::Put { buffer, at, a, b });
        }
        [0, 1].map(|word| (word < words.min(given)).then(|| self.word(all, word)))
    }

    /// The entry as operations take it, and the number that is added to the offset.
    fn value_at(&mut self, entry: Value, offset: Value) -> (Operand<Reg>, u32) {
        let known = self
            .program
            .as_const(offset)
            .map(|bits| bits.low_u64() as u32);
        if let Some(offset) = known {
            return (self.operand_of(entry), offset);
        }
        let mut both = self.value(entry);
        for piece in self.value(offset) {
            pieces::push(&mut both, piece);
        }
        let both = self.operand(&both);
        (both, 0)
    }
}

fn number(map: MapId) -> u8 {
    map.as_u32() as u8
}
