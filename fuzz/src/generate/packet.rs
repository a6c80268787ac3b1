//! The packet: its bounds, loads and stores, pointers into it.

use super::state::{Holds, PacketPointer};
use super::Generator;
use crate::encode::{self, helper, Operand};

/// The largest distance from a pointer that instructions take here.
const FARTHEST: i32 = 4000;

impl Generator {
    /// Loads the packet's beginning and end into registers.
    pub(super) fn reload_packet(&mut self) {
        let Some(context) = self.context() else {
            return;
        };
        if self.random.percent(70) {
            let dst = self.free_register(&[context]);
            // `data_meta` is `data` where there is no metadata.
            self.emit(encode::load(dst, context, 0, 4));
            let start = PacketPointer {
                base: 0,
                offset: 0,
                checked: 0,
            };
            self.set(dst, Holds::Packet(start));
        }
        if self
            .state
            .registers_with(|holds| holds == Holds::PacketEnd)
            .is_empty()
        {
            self.load_end(context);
        }
    }

    fn load_end(&mut self, context: u8) -> u8 {
        let dst = self.free_register(&[context]);
        self.emit(encode::load(dst, context, 4, 4));
        self.set(dst, Holds::PacketEnd);
        dst
    }

    fn packet_pointers(&self) -> Vec<(u8, PacketPointer)> {
        (0..10)
            .filter_map(|register| match self.holds(register) {
                Holds::Packet(pointer) => Some((register, pointer)),
                _ => None,
            })
            .collect()
    }

    /// A pointer and a distance at which so many bytes are known to be in the packet.
    pub(super) fn place_in_packet(&mut self, bytes: u32) -> Option<(u8, i16)> {
        let bytes = bytes as i32;
        let usable: Vec<_> = self
            .packet_pointers()
            .into_iter()
            .filter(|(_, pointer)| pointer.checked >= bytes)
            .collect();
        let (register, pointer) = self.random.pick(&usable)?;
        let room = pointer.checked - bytes;
        let mut place = self.random.below(room as usize + 1) as i32;
        if self.random.percent(50) {
            place &= -bytes;
        }
        let distance = place - pointer.offset;
        (distance.abs() <= FARTHEST).then_some((register, distance as i16))
    }

    pub(super) fn load_packet(&mut self) {
        let bytes = self.random.one_of([1, 1, 2, 2, 4, 4, 8]);
        let Some((base, distance)) = self.place_in_packet(bytes) else {
            return self.check_bounds();
        };
        let dst = self.free_register(&[base]);
        let signed = bytes < 8 && self.random.percent(25);
        self.emit(match signed {
            true => encode::load_signed(dst, base, distance, bytes),
            false => encode::load(dst, base, distance, bytes),
        });
        self.set_varied(dst, true);
    }

    pub(super) fn store_packet(&mut self) {
        let bytes = self.random.one_of([1, 1, 2, 2, 4, 4, 8]);
        let Some((base, distance)) = self.place_in_packet(bytes) else {
            return self.check_bounds();
        };
        let source = self.stored_operand();
        // The number may have been made in the register of the pointer.
        if matches!(self.holds(base), Holds::Packet(_)) {
            self.emit(encode::store(base, distance, bytes, source));
        }
    }

    pub(super) fn stored_operand(&mut self) -> Operand {
        match self.random.percent(25) {
            true => Operand::Number(self.random.interesting() as i32),
            false => Operand::Register(self.number()),
        }
    }

    /// Compares a pointer with the packet's end; on one way more bytes are known to be there.
    pub(super) fn check_bounds(&mut self) {
        let Some((pointer, end)) = self.pointer_and_end() else {
            return;
        };
        let Holds::Packet(known) = self.holds(pointer) else {
            return;
        };
        let wanted = match self.random.weighted(&[60, 30, 8, 2]) {
            0 => self.random.between(1, 34),
            1 => self.random.between(20, 80),
            2 => self.random.between(60, 260),
            _ => self.random.between(200, 1500),
        } as i32;
        let wanted = wanted.max(known.checked.min(64));
        let limit = self.free_register(&[pointer, end]);
        self.copy(limit, pointer);
        let distance = wanted - known.offset;
        self.emit(encode::alu(
            encode::ADD,
            true,
            limit,
            Operand::Number(distance),
        ));
        self.set(
            limit,
            Holds::Packet(PacketPointer {
                offset: wanted,
                ..known
            }),
        );
        self.branch_on_end(limit, end, known.base, wanted);
    }

    /// A pointer and the end in registers, loaded when they are not there.
    fn pointer_and_end(&mut self) -> Option<(u8, u8)> {
        if self.packet_pointers().is_empty() {
            let context = self.context()?;
            let dst = self.free_register(&[context]);
            self.emit(encode::load(dst, context, 0, 4));
            let start = PacketPointer {
                base: 0,
                offset: 0,
                checked: 0,
            };
            self.set(dst, Holds::Packet(start));
        }
        let pointers: Vec<u8> = self
            .packet_pointers()
            .iter()
            .map(|(register, _)| *register)
            .collect();
        let pointer = self.random.pick(&pointers)?;
        let ends = self.state.registers_with(|holds| holds == Holds::PacketEnd);
        if let Some(end) = self.random.pick(&ends) {
            return Some((pointer, end));
        }
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        let context = match contexts.first() {
            Some(context) => *context,
            None => {
                let slot = *self
                    .state
                    .spills_with(|holds| holds == Holds::Context)
                    .first()?;
                let register = self.free_register(&[pointer]);
                self.emit(encode::load(register, 10, slot, 8));
                self.set(register, Holds::Context);
                register
            }
        };
        let end = self.free_register(&[context, pointer]);
        self.emit(encode::load(end, context, 4, 4));
        self.set(end, Holds::PacketEnd);
        Some((pointer, end))
    }

    /// `limit` is `wanted` bytes behind the base.
    fn branch_on_end(&mut self, limit: u8, end: u8, base: u32, wanted: i32) {
        self.branches = self.branches.saturating_sub(1);
        // Condition, whether the end comes first, and whether the branch is taken when the bytes are there.
        let (condition, end_first, taken_when_inside) = self.random.one_of([
            (encode::JGT, false, false),
            (encode::JGT, false, false),
            (encode::JGE, false, false),
            (encode::JLT, true, false),
            (encode::JLE, true, false),
            (encode::JLE, false, true),
            (encode::JLT, false, true),
            (encode::JGE, true, true),
            (encode::JGT, true, true),
        ]);
        let (left, right) = if end_first {
            (end, limit)
        } else {
            (limit, end)
        };
        self.emit(encode::branch(
            condition,
            true,
            left,
            Operand::Register(right),
        ));
        let mut inside = self.state.clone();
        inside.check_packet(base, wanted);
        // The kernel takes no access through a pointer that it knows to be behind the packet's end.
        self.set(limit, Holds::Nothing);
        if taken_when_inside {
            let outside = std::mem::replace(&mut self.state, inside);
            let label = self.label();
            self.jumps_to(label);
            self.state = outside;
            self.without_bytes();
            self.live = false;
            // The ways do not meet again before the open labels.
            self.bind(label);
        } else {
            match self.random.pick(&self.open) {
                Some(label) if self.random.percent(70) => {
                    self.jumps_to(label);
                    self.state = inside;
                }
                _ => {
                    let outside = self.label();
                    self.jumps_to(outside);
                    self.state = inside;
                    let most = if self.branches > 0 { 6 } else { 1 };
                    let length = self.random.between(1, most);
                    self.one_way(outside, length, 3);
                }
            }
        }
    }

    /// A path on which a packet is too short: it ends or goes to a label.
    fn without_bytes(&mut self) {
        if self.random.percent(60) {
            if let Some(label) = self.random.pick(&self.open) {
                return self.goto(label);
            }
        }
        self.set_verdict();
        self.leave_with_r0();
    }

    /// Moves a pointer by a number that has few values; its bytes must be checked again.
    pub(super) fn move_packet_pointer(&mut self) {
        let pointers = self.packet_pointers();
        let Some((pointer, known)) = self.random.pick(&pointers) else {
            return self.reload_packet();
        };
        let dst = self.free_register(&[pointer]);
        if self.random.percent(30) && self.branches > 0 {
            return self.skip_header(dst, pointer, known);
        }
        let mask = self.random.one_of([0x3c, 0x3c, 0xf, 7, 4, 0x10, 0xc, 0x1c]);
        let distance = self.masked_number(mask, &[pointer, dst]);
        if distance == dst || !matches!(self.holds(pointer), Holds::Packet(_)) {
            return;
        }
        self.copy(dst, pointer);
        self.emit(encode::alu(
            encode::ADD,
            true,
            dst,
            Operand::Register(distance),
        ));
        self.set_new_base(dst);
        self.check_bounds();
    }

    fn set_new_base(&mut self, register: u8) {
        let base = self.next_base;
        self.next_base += 1;
        self.set(
            register,
            Holds::Packet(PacketPointer {
                base,
                offset: 0,
                checked: 0,
            }),
        );
    }

    /// A header that may be there: the pointer moves on one way only.
    fn skip_header(&mut self, dst: u8, pointer: u8, known: PacketPointer) {
        let number = self.masked_number(3, &[pointer, dst]);
        if number == dst || self.holds(pointer) != Holds::Packet(known) {
            return;
        }
        self.copy(dst, pointer);
        self.branches -= 1;
        let skip = self.label();
        self.emit(encode::branch(
            encode::JEQ,
            true,
            number,
            Operand::Number(1),
        ));
        self.jumps_to(skip);
        let bytes = self.random.one_of([4, 8, 14, 20]);
        self.emit(encode::alu(encode::ADD, true, dst, Operand::Number(bytes)));
        self.bind(skip);
        // On each way it is a pointer of its own; both must pass the check that follows.
        self.set_new_base(dst);
        self.check_bounds();
    }

    /// A copy of a pointer at some distance, or the pointer itself moved.
    pub(super) fn pointer_arithmetic(&mut self) {
        let pointers = self.packet_pointers();
        let Some((pointer, known)) = self.random.pick(&pointers) else {
            return;
        };
        let dst = match self.random.percent(30) {
            true => pointer,
            false => self.free_register(&[pointer]),
        };
        if dst != pointer {
            self.copy(dst, pointer);
        }
        let distance = self.random.between(0, 40) as i32;
        let backwards = known.base == 0 && self.random.percent(20) && known.offset >= distance;
        let (op, moved) = match backwards {
            true => (encode::SUB, -distance),
            false => (encode::ADD, distance),
        };
        if known.offset + moved > FARTHEST {
            return;
        }
        self.emit(encode::alu(op, true, dst, Operand::Number(distance)));
        self.set(
            dst,
            Holds::Packet(PacketPointer {
                offset: known.offset + moved,
                ..known
            }),
        );
    }

    /// The packet's length, or the distance of two pointers.
    pub(super) fn subtract_pointers(&mut self) {
        let Some((pointer, end)) = self.pointer_and_end() else {
            return;
        };
        let pointers: Vec<u8> = self
            .packet_pointers()
            .iter()
            .map(|(register, _)| *register)
            .collect();
        let from = match self.random.percent(75) {
            true => end,
            false => self.random.pick(&pointers).unwrap_or(end),
        };
        let dst = self.free_register(&[pointer, from]);
        self.copy(dst, from);
        self.emit(encode::alu(
            encode::SUB,
            true,
            dst,
            Operand::Register(pointer),
        ));
        self.set_varied(dst, true);
    }

    /// `bpf_xdp_load_bytes` and `bpf_xdp_store_bytes`.
    pub(super) fn copy_packet_bytes(&mut self) {
        let bytes = match self.random.percent(25) {
            true => 16,
            false => self.random.between(1, 40) as i16,
        };
        let slot = -(self.random.between(bytes as usize, 128) as i16);
        if !self.state.is_readable(slot, bytes) || !self.keep_context() {
            return;
        }
        let Some(context) = self.context() else {
            return;
        };
        let far = self.random.percent(3);
        let offset = match far {
            true => self.random.interesting() as i32,
            false => self.random.between(0, 80) as i32,
        };
        if context != 1 {
            self.copy(1, context);
        }
        if self.random.percent(50) {
            let number = self.masked_number(0xf, &[1]);
            if number != 2 {
                self.copy(2, number);
            }
        } else {
            self.set_number(2, offset);
        }
        self.emit(encode::mov(3, 10));
        self.emit(encode::alu(
            encode::ADD,
            true,
            3,
            Operand::Number(i32::from(slot)),
        ));
        if bytes == 16 {
            // As many as a number says, and one.
            let number = self.masked_number(0xf, &[1, 2, 3]);
            if [1, 2, 3].contains(&number) {
                return;
            }
            self.copy(4, number);
            self.emit(encode::alu(encode::ADD, true, 4, Operand::Number(1)));
        } else {
            self.set_number(4, i32::from(bytes));
        }
        let is_load = self.random.percent(50);
        self.call(
            match is_load {
                true => helper::XDP_LOAD_BYTES,
                false => helper::XDP_STORE_BYTES,
            },
            Holds::Number,
        );
        if is_load {
            self.state.write_stack(slot, bytes, true);
        }
    }

    /// `bpf_csum_diff` of nothing, bytes of the packet or of the stack.
    pub(super) fn checksum(&mut self) {
        if !self.keep_context() {
            return;
        }
        for (pointer, size) in [(1, 2), (3, 4)] {
            let bytes = 4 * self.random.between(0, 8) as i32;
            let place = self.place_in_packet(bytes.max(4) as u32);
            match (self.random.below(3), place) {
                (0, Some((base, distance))) if !(1..pointer).contains(&base) => {
                    self.copy(pointer, base);
                    let distance = Operand::Number(distance.into());
                    self.emit(encode::alu(encode::ADD, true, pointer, distance));
                    self.set_number(size, bytes);
                }
                (1, _) if self.state.is_readable(-32, 32) => {
                    self.emit(encode::mov(pointer, 10));
                    self.emit(encode::alu(
                        encode::ADD,
                        true,
                        pointer,
                        Operand::Number(-32),
                    ));
                    self.set_number(size, bytes);
                }
                _ => {
                    self.set_number(pointer, 0);
                    self.set_number(size, 0);
                }
            }
            self.set(pointer, Holds::Nothing);
        }
        let seeds = self.state.registers_with(|holds| holds == Holds::Number);
        match seeds
            .into_iter()
            .find(|register| !(1..5).contains(register))
        {
            Some(register) => self.copy(5, register),
            None => self.set_number(5, -1),
        }
        self.call(helper::CSUM_DIFF, Holds::Number);
    }

    /// Writes what registers and the stack hold into the packet, where it can be seen.
    pub(super) fn show_results(&mut self) {
        if self.random.percent(4) || self.context().is_none() {
            return;
        }
        if self.place_in_packet(8).is_none() {
            self.check_bounds();
        }
        if !self.live {
            return;
        }
        for _ in 0..self.random.between(0, 4) {
            self.load_stack();
        }
        let sum = self.number();
        let numbers = self.state.registers_with(|holds| holds == Holds::Number);
        let one_sum = self.random.percent(60);
        let mut place = 0;
        for register in numbers {
            let is_number = self.holds(register) == Holds::Number;
            if !is_number || !self.state.is_varied(register) || register == sum {
                continue;
            }
            if one_sum {
                let op = self.random.one_of([encode::ADD, encode::XOR, encode::SUB]);
                self.emit(encode::alu(op, true, sum, Operand::Register(register)));
            } else {
                self.show(register, &mut place);
            }
        }
        self.show(sum, &mut place);
    }

    /// Writes a register behind what was shown before, while there is room.
    fn show(&mut self, register: u8, place: &mut i32) {
        let widest = (self.packet_pointers().into_iter())
            .max_by_key(|(_, pointer)| (pointer.checked, pointer.offset));
        let Some((base, pointer)) = widest else {
            return;
        };
        let bytes = match pointer.checked - *place {
            room if room >= 8 => 8,
            room if room >= 4 => 4,
            room if room >= 1 => 1,
            _ => return,
        };
        let distance = (*place - pointer.offset) as i16;
        if self.holds(register) == Holds::Number {
            self.emit(encode::store(
                base,
                distance,
                bytes,
                Operand::Register(register),
            ));
            *place += bytes as i32;
        }
    }
}
