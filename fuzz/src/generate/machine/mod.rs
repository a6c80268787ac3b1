//! State machines: what a packet leaves in a map decides what the next one of its flow does.
//!
//! ```text
//! r9 = context, r6 = 0                        a sum of all that the machine sees
//! operands = few bits of the packet, a number, the time       on the stack
//! some steps, each of them
//!     find the flow      r8 = lookup(key of the operands)
//!     change its state   value = f(value, operands), stored on a condition
//!     insert on a miss, and look up again; delete on a condition of the value
//!     the reverse flow; a key out of a value; several writes; a counter; a pool
//! ```
//!
//! A machine is one statement: numbers of the program go in as an operand and come out as the sum in `r6`.

mod compute;
mod keys;
mod steps;

use super::state::Holds;
use super::{Generator, LabelId};
use crate::encode::{self, helper, Operand};
use crate::flows::FlowByte;
use hardpath_ebpf::ObjectMap;

/// What all that a machine sees goes into.
const SUM: u8 = 6;
/// A pointer to another value.
const OTHER: u8 = 7;
/// A pointer to the value in hand.
const VALUE: u8 = 8;
const CONTEXT: u8 = 9;

/// Numbers that a machine works with, 8 bytes each on the stack: two of few packet bits, one of many, and the time or
/// another number that enters with the packet.
const OPERANDS: [i16; 4] = [-120, -128, -136, -144];
const FIRST: i16 = OPERANDS[0];
const SECOND: i16 = OPERANDS[1];
const AMOUNT: i16 = OPERANDS[2];
const CLOCK: i16 = OPERANDS[3];
/// The key in hand and another one, 24 bytes each.
const KEY: i16 = -168;
const OTHER_KEY: i16 = -192;
/// The value that an update takes, 56 bytes.
const NEW_VALUE: i16 = -248;
/// The sum of what updates and deletes returned: programs look at it, but make no keys of it.
const RETURNED: i16 = -256;
/// From here on the stack is a machine's.
const LOWEST: i16 = RETURNED;
const HIGHEST: i16 = -112;

impl Generator {
    /// Maps for machines, behind those that are there.
    pub(super) fn declare_machine_maps(&mut self) {
        for _ in 0..self.random.between(1, 3) {
            let map_type = match self.random.weighted(&[46, 16, 10, 10, 12, 6]) {
                0 => super::maps::kind::HASH,
                1 => super::maps::kind::ARRAY,
                2 => super::maps::kind::PERCPU_ARRAY,
                3 => super::maps::kind::PERCPU_HASH,
                4 => super::maps::kind::LRU_HASH,
                _ => super::maps::kind::LRU_PERCPU_HASH,
            };
            let is_array = matches!(
                map_type,
                super::maps::kind::ARRAY | super::maps::kind::PERCPU_ARRAY
            );
            let max_entries = match map_type {
                // Large ones forget nothing; of small ones judges forget what the design does.
                super::maps::kind::LRU_HASH | super::maps::kind::LRU_PERCPU_HASH => {
                    self.random.one_of([4, 8, 16, 1024])
                }
                _ if is_array => self.random.one_of([1, 4, 8, 16, 4096]),
                _ => self.random.one_of([2, 8, 16, 64, 64, 2048]),
            };
            let key_bytes = match is_array {
                true => 4,
                false => self
                    .random
                    .one_of([1, 2, 4, 4, 4, 8, 8, 12, 13, 16, 20, 24]),
            };
            // The kernel has no locks in values of which every CPU has its own.
            let may_lock = matches!(
                map_type,
                super::maps::kind::HASH | super::maps::kind::ARRAY | super::maps::kind::LRU_HASH
            );
            let lock_offset = (may_lock && self.random.percent(15)).then_some(0);
            let map = ObjectMap {
                name: format!("map{}", self.maps.len()),
                map_type,
                key_bytes,
                value_bytes: match lock_offset {
                    Some(_) => self.random.one_of([16, 24, 32, 48]),
                    None => self.random.one_of([4, 8, 8, 16, 16, 24, 32, 40, 56]),
                },
                max_entries,
                flags: 0,
                lock_offset,
                initial: None,
                read_only: false,
            };
            // What nobody has put in is found by nobody: most begin with keys that packets ask for.
            if lock_offset.is_none() && self.random.percent(65) {
                self.fill_map(&map);
            }
            self.machine_maps.push(self.maps.len());
            self.maps.push(map);
            self.map_uses.push(super::maps::Uses::default());
        }
    }

    /// One machine.
    pub(super) fn machine(&mut self) {
        let Some(context) = self.context() else {
            return;
        };
        let room = HIGHEST - LOWEST;
        if !self.may_write_stack(LOWEST, room) {
            return;
        }
        self.machines_left = self.machines_left.saturating_sub(1);
        let numbers = self.state.registers_with(|holds| holds == Holds::Number);
        let varied = numbers.into_iter().filter(|n| self.state.is_varied(*n));
        let from_outside = varied.max();
        if let Some(number) = from_outside {
            self.store_operand(CLOCK, number);
        }
        if context != CONTEXT {
            self.copy(CONTEXT, context);
        }
        self.set_number(SUM, 0);
        self.emit(encode::store(10, RETURNED, 8, Operand::Number(0)));
        self.state.write_stack(RETURNED, 8, true);
        let end = self.label();
        self.read_operands(end, from_outside.is_some());
        for _ in 0..self.random.weighted(&[0, 35, 35, 20, 10]) {
            self.step(end);
        }
        self.bind(end);
        self.forget_scratch();
    }

    /// Takes what the machine works with from the packet, and from what enters with it.
    fn read_operands(&mut self, end: LabelId, has_clock: bool) {
        if !has_clock || self.random.percent(50) {
            self.read_clock();
        }
        let bytes = self.random.one_of([14, 18, 26, 34, 38]);
        self.emit(encode::load(1, CONTEXT, 0, 4));
        self.emit(encode::load(2, CONTEXT, 4, 4));
        self.emit(encode::mov(3, 1));
        let more = Operand::Number(bytes as i32);
        self.emit(encode::alu(encode::ADD, true, 3, more));
        self.forget_scratch();
        self.emit(encode::branch(encode::JGT, true, 3, Operand::Register(2)));
        self.jumps_to(end);
        let mask = self.random.one_of([1, 3, 3, 7, 15]);
        for operand in [FIRST, SECOND] {
            let place = self.random.below(bytes);
            self.emit(encode::load(3, 1, place as i16, 1));
            self.emit(encode::alu(
                encode::AND,
                true,
                3,
                Operand::Number(i32::from(mask)),
            ));
            self.store_operand(operand, 3);
            self.flow_bytes.push(FlowByte {
                place,
                mask,
                is_second: operand == SECOND,
            });
        }
        let size = self.random.one_of([1, 1, 2, 4]);
        let place = self.random.below(bytes - size as usize + 1);
        self.emit(encode::load(3, 1, place as i16, size));
        self.store_operand(AMOUNT, 3);
        self.forget_scratch();
    }

    /// The time, a random number, the packet's length or the queue, at `CLOCK`.
    fn read_clock(&mut self) {
        match self.random.weighted(&[60, 15, 15, 10]) {
            0 => {
                let number = self
                    .random
                    .one_of([helper::KTIME_GET_NS, helper::KTIME_GET_BOOT_NS]);
                self.call(number, Holds::Number);
                let shift = self.random.one_of([0, 0, 4, 10]);
                if shift > 0 {
                    self.emit(encode::alu(encode::RSH, true, 0, Operand::Number(shift)));
                }
            }
            1 => self.call(helper::GET_PRANDOM_U32, Holds::Number),
            2 => {
                self.emit(encode::load(0, CONTEXT, 4, 4));
                self.emit(encode::load(1, CONTEXT, 0, 4));
                self.emit(encode::alu(encode::SUB, true, 0, Operand::Register(1)));
            }
            _ => self.emit(encode::load(0, CONTEXT, 16, 4)),
        }
        self.store_operand(CLOCK, 0);
        self.forget_scratch();
    }

    fn store_operand(&mut self, operand: i16, register: u8) {
        self.emit(encode::store(10, operand, 8, Operand::Register(register)));
        self.state.write_stack(operand, 8, true);
    }

    fn load_operand(&mut self, register: u8, operand: i16) {
        self.emit(encode::load(register, 10, operand, 8));
        self.set_varied(register, true);
    }

    /// One of the operands, mostly one that has many values.
    fn some_operand(&mut self) -> i16 {
        self.random
            .one_of([FIRST, SECOND, AMOUNT, AMOUNT, AMOUNT, CLOCK, CLOCK])
    }

    /// What the machine saw goes into the sum.
    fn see(&mut self, register: u8) {
        let op = self.random.one_of([encode::ADD, encode::XOR]);
        self.emit(encode::alu(op, true, SUM, Operand::Register(register)));
        self.set_varied(SUM, true);
    }

    /// What an update or delete returned is looked at now and then; a failure may end the machine.
    fn see_result(&mut self, end: Option<LabelId>) {
        if self.random.percent(60) {
            self.emit(encode::load(1, 10, RETURNED, 8));
            self.emit(encode::alu(encode::ADD, true, 1, Operand::Register(0)));
            self.store_operand(RETURNED, 1);
        }
        if let (Some(end), true) = (end, self.random.percent(5)) {
            self.emit(encode::branch(encode::JNE, true, 0, Operand::Number(0)));
            self.jumps_to(end);
        }
    }

    /// `r0` to `r5` hold nothing that anybody wants.
    fn forget_scratch(&mut self) {
        for register in 0..6 {
            self.set(register, Holds::Nothing);
        }
    }
}
