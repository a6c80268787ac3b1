//! The keys of machines: out of few packet bits, so that packets meet; forward and reverse; out of values.

use super::{AMOUNT, FIRST, SECOND, SUM};
use crate::encode::{self, Operand};
use crate::generate::Generator;

/// What a key is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyFrom {
    First,
    Second,
    /// Both, and both in the other order: a flow and its reverse.
    Flow,
    Reverse,
    /// The low bits of what the machine has seen so far.
    Sum,
    /// A number in a register, which is overwritten.
    Number(u8),
    Constant(i32),
    /// One of hundreds: what tables of few entries have no room for.
    Many,
}

/// The bits of [`KeyFrom::Many`].
const MANY: i32 = 0xff;

impl Generator {
    pub(super) fn usual_key(&mut self) -> KeyFrom {
        match self.random.weighted(&[38, 10, 26, 8, 4, 4, 10]) {
            0 => KeyFrom::First,
            1 => KeyFrom::Second,
            2 => KeyFrom::Flow,
            3 => KeyFrom::Reverse,
            4 => KeyFrom::Sum,
            5 => KeyFrom::Constant(self.random.below(4) as i32),
            _ => KeyFrom::Many,
        }
    }

    /// Puts a key for a map on the stack.
    pub(super) fn put_key(&mut self, map: usize, place: i16, from: KeyFrom) {
        let bytes = self.maps[map].key_bytes as i16;
        let kind = self.maps[map].kind();
        let many = match kind {
            Some(kind) if kind.is_lru() => 60,
            Some(kind) if kind.is_hash() && self.maps[map].max_entries >= 16 => 20,
            _ => 0,
        };
        let from = match self.random.percent(many) {
            true => KeyFrom::Many,
            false => from,
        };
        if bytes >= 8 {
            self.clear_key(place, bytes);
            match from {
                KeyFrom::Flow => {
                    self.put_number(place, 4, FIRST);
                    self.put_number(place + 4, 4, SECOND);
                }
                KeyFrom::Reverse => {
                    self.put_number(place, 4, SECOND);
                    self.put_number(place + 4, 4, FIRST);
                }
                _ => {
                    self.key_number(map, from);
                    let at = self.random.one_of([0, 0, 4]);
                    self.put_word(place + at, 4, 1);
                }
            }
            return;
        }
        self.key_number(map, from);
        self.put_word(place, bytes, 1);
    }

    /// The number that a short key is, in `r1`.
    fn key_number(&mut self, map: usize, from: KeyFrom) {
        let both = |generator: &mut Generator, high, low| {
            generator.load_operand(1, high);
            generator.emit(encode::alu(encode::LSH, true, 1, Operand::Number(4)));
            generator.load_operand(2, low);
            generator.emit(encode::alu(encode::OR, true, 1, Operand::Register(2)));
        };
        match from {
            KeyFrom::First => self.load_operand(1, FIRST),
            KeyFrom::Second => self.load_operand(1, SECOND),
            KeyFrom::Flow => both(self, FIRST, SECOND),
            KeyFrom::Reverse => both(self, SECOND, FIRST),
            KeyFrom::Sum => self.masked_copy(SUM),
            KeyFrom::Number(register) => self.masked_copy(register),
            KeyFrom::Constant(number) => self.set_number(1, number),
            KeyFrom::Many => {
                self.load_operand(1, AMOUNT);
                self.emit(encode::alu(encode::AND, true, 1, Operand::Number(MANY)));
            }
        }
        let is_array = self.maps[map].kind().is_some_and(|kind| kind.is_array());
        if is_array && matches!(from, KeyFrom::Flow | KeyFrom::Reverse) {
            let mask = self.maps[map].max_entries.next_power_of_two() as i32 - 1;
            self.emit(encode::alu(encode::AND, true, 1, Operand::Number(mask)));
        }
    }

    fn masked_copy(&mut self, register: u8) {
        if register != 1 {
            self.emit(encode::mov(1, register));
        }
        let mask = self.random.one_of([1, 3, 7, 7, 15]);
        self.emit(encode::alu(encode::AND, true, 1, Operand::Number(mask)));
        self.set_varied(1, true);
    }

    fn put_number(&mut self, place: i16, bytes: i16, operand: i16) {
        self.load_operand(1, operand);
        self.put_word(place, bytes, 1);
    }

    fn put_word(&mut self, place: i16, bytes: i16, register: u8) {
        let source = Operand::Register(register);
        self.emit(encode::store(10, place, bytes as u32, source));
        self.state.write_stack(place, bytes, true);
    }

    fn clear_key(&mut self, place: i16, bytes: i16) {
        let mut at = 0;
        while at < bytes {
            let size = match bytes - at {
                8.. => 8,
                4..=7 => 4,
                _ => 1,
            };
            let zero = Operand::Number(0);
            self.emit(encode::store(10, place + at, size as u32, zero));
            self.state.write_stack(place + at, size, false);
            at += size;
        }
    }
}
