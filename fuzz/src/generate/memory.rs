//! The stack: stores and loads of every size, atomics, kept pointers, variable offsets.

use super::state::{Holds, STACK};
use super::Generator;
use crate::encode::{self, Operand};

/// Bytes at the stack's end that most accesses use, so that they meet.
const BUSY: i16 = 48;

impl Generator {
    /// A place on the stack, aligned to its size as the kernel wants it.
    fn stack_place(&mut self, bytes: i16) -> i16 {
        let range = match self.random.weighted(&[80, 17, 3]) {
            0 => BUSY,
            1 => 128,
            _ => STACK,
        };
        let range = range.min(self.most_stack);
        -bytes * self.random.between(1, (range / bytes) as usize) as i16
    }

    /// A base register and distance for a place on the stack.
    fn stack_address(&mut self, place: i16) -> (u8, i16) {
        let pointers = self
            .state
            .registers_with(|holds| matches!(holds, Holds::Stack(_)));
        match self.random.pick(&pointers) {
            Some(register) if self.random.percent(50) => match self.holds(register) {
                Holds::Stack(offset) => (register, place - offset),
                _ => (10, place),
            },
            _ => (10, place),
        }
    }

    /// Whether numbers may be written there: the last way to the context is not lost.
    pub(super) fn may_write_stack(&self, place: i16, bytes: i16) -> bool {
        let slots = self.state.spills_with(|holds| holds == Holds::Context);
        let hit = slots
            .iter()
            .any(|slot| *slot < place + bytes && place < *slot + 8);
        let elsewhere = slots.len() > 1
            || !self
                .state
                .registers_with(|holds| holds == Holds::Context)
                .is_empty();
        // The next round of a loop may want what the program keeps there.
        let kept = self.state.spills_with(|_| true);
        let lost = kept
            .iter()
            .any(|slot| *slot < place + bytes && place < *slot + 8);
        (!hit || elsewhere) && !(self.in_loop && lost)
    }

    pub(super) fn store_stack(&mut self) {
        let bytes = self.random.one_of([1, 1, 2, 4, 4, 8, 8]);
        let place = self.stack_place(bytes);
        if !self.may_write_stack(place, bytes) {
            return;
        }
        let source = self.stored_operand();
        let (base, distance) = self.stack_address(place);
        self.emit(encode::store(base, distance, bytes as u32, source));
        let varied = self.is_varied(source);
        self.state.write_stack(place, bytes, varied);
    }

    pub(super) fn load_stack(&mut self) {
        if self.random.percent(5) {
            return self.make_stack_pointer();
        }
        let bytes = self.random.one_of([1, 1, 2, 4, 4, 8, 8]);
        let places = self.state.varied_places(bytes);
        let place = match self.random.pick(&places) {
            Some(place) if self.random.percent(90) => place,
            _ => self.stack_place(bytes),
        };
        if !self.state.is_readable(place, bytes) {
            return;
        }
        let (base, distance) = self.stack_address(place);
        let varied = self.state.is_stack_varied(place, bytes);
        let dst = self.free_register(&[]);
        let signed = bytes < 8 && self.random.percent(25);
        self.emit(match signed {
            true => encode::load_signed(dst, base, distance, bytes as u32),
            false => encode::load(dst, base, distance, bytes as u32),
        });
        self.set_varied(dst, varied);
    }

    fn make_stack_pointer(&mut self) {
        let dst = self.free_register(&[]);
        let offset = -(self.random.between(0, 64) as i16);
        self.emit(encode::mov(dst, 10));
        self.emit(encode::alu(
            encode::ADD,
            true,
            dst,
            Operand::Number(i32::from(offset)),
        ));
        self.set(dst, Holds::Stack(offset));
    }

    pub(super) fn atomic_on_stack(&mut self) {
        let bytes = self.random.one_of([4, 8]);
        let places = self.state.varied_places(bytes);
        let place = match self.random.pick(&places) {
            Some(place) if self.random.percent(70) => place,
            _ => self.stack_place(bytes),
        };
        if !self.state.is_readable(place, bytes) {
            return;
        }
        let op = self.random.one_of(encode::ATOMICS);
        let src = self.number();
        let (base, distance) = self.stack_address(place);
        self.emit_atomic(op, base, distance, bytes as u32, src);
        self.state.write_stack(place, bytes, true);
    }

    /// Emits an atomic, for a compare and exchange with an expected word in `r0`.
    pub(super) fn emit_atomic(&mut self, op: i32, base: u8, distance: i16, bytes: u32, src: u8) {
        if op == encode::ATOMIC_CMPXCHG && self.holds(0) != Holds::Number {
            // What else r0 holds is worth more than this.
            if self.holds(0) != Holds::Nothing || base == 0 || src == 0 {
                return;
            }
            self.set_some_number(0);
        }
        self.emit(encode::atomic(op, base, distance, bytes, src));
    }

    /// Keeps a pointer on the stack, or takes one from there.
    pub(super) fn spill_or_fill(&mut self) {
        let kept = self.state.spills_with(|_| true);
        if self.random.percent(50) {
            if let Some(slot) = self.random.pick(&kept) {
                let holds = self.state.spill_at(slot).unwrap_or(Holds::Nothing);
                let dst = self.free_register(&[]);
                self.emit(encode::load(dst, 10, slot, 8));
                self.set(dst, holds);
                return;
            }
        }
        let pointers = self
            .state
            .registers_with(|holds| !matches!(holds, Holds::Nothing | Holds::Number));
        let Some(pointer) = self.random.pick(&pointers) else {
            return;
        };
        let slot = -8 * self.random.between(1, 10) as i16;
        if self.may_write_stack(slot, 8) {
            self.emit(encode::store(10, slot, 8, Operand::Register(pointer)));
            self.state.spill(slot, self.holds(pointer));
        }
    }

    /// A load or store whose offset is known to be one of a few.
    pub(super) fn variable_stack(&mut self) {
        let (bytes, mask) =
            self.random
                .one_of([(1, 7), (1, 0xf), (2, 0xe), (4, 0xc), (8, 0x18), (8, 8)]);
        let bytes: i16 = bytes;
        let span = mask + bytes;
        let lowest = -8 * self.random.between((span as usize).div_ceil(8), 16) as i16;
        let stores = self.random.percent(50);
        let no_pointers = self.state.spills_with(|_| true).is_empty();
        if !self.state.is_readable(lowest, span) || (stores && !no_pointers) {
            return;
        }
        let index = self.masked_number(i32::from(mask), &[]);
        let address = self.free_register(&[index]);
        self.emit(encode::mov(address, 10));
        self.emit(encode::alu(
            encode::ADD,
            true,
            address,
            Operand::Register(index),
        ));
        // Of no use for anything else.
        self.set(address, Holds::Nothing);
        if stores {
            let numbers = self.state.registers_with(|holds| holds == Holds::Number);
            let source = match self.random.pick(&numbers) {
                Some(register) => Operand::Register(register),
                None => Operand::Number(-2),
            };
            self.emit(encode::store(address, lowest, bytes as u32, source));
            self.state.write_stack_somewhere();
            self.state.write_stack(lowest, span, true);
        } else {
            self.emit(encode::load(address, address, lowest, bytes as u32));
            self.set_varied(address, true);
        }
    }
}
