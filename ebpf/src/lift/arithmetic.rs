//! ALU instructions, on numbers and on pointers.

use hardpath_ir::Op;

use super::state::{AbstractValue, MapPointer, Operand};
use super::Lifter;
use crate::decode::{AluOp, Source};

impl Lifter<'_> {
    /// `dst = dst op source`.
    pub(super) fn alu(&mut self, op: AluOp, wide: bool, dst: u8, source: Source) {
        let operands = self.operand(dst).zip(self.source(source, wide));
        let result = match operands {
            None => AbstractValue::Reported,
            Some((AbstractValue::Scalar(a), AbstractValue::Scalar(b))) => {
                let result = self.alu_scalar(op, wide, a, b);
                let name = self.result_name(dst);
                self.builder.name(result, &name);
                AbstractValue::Scalar(result)
            }
            Some((a, b)) => self.alu_pointer(op, wide, a, b),
        };
        self.set_register(dst, result);
    }

    /// What a source operand holds. A 32-bit operation only looks at the low half of an immediate.
    pub(super) fn source(&mut self, source: Source, wide: bool) -> Option<AbstractValue> {
        match source {
            Source::Register(register) => self.operand(register),
            Source::Immediate(number) if wide => Some(AbstractValue::Scalar(Operand::Const(
                i64::from(number) as u64,
            ))),
            Source::Immediate(number) => Some(AbstractValue::Scalar(Operand::Const(u64::from(
                number as u32,
            )))),
        }
    }

    fn alu_scalar(&mut self, op: AluOp, wide: bool, a: Operand, b: Operand) -> Operand {
        let width = if wide { 64 } else { 32 };
        let a = self.builder.low(a, width);
        let result = match op {
            AluOp::Shl | AluOp::LShr | AluOp::AShr => self.shift(op, a, b, width),
            _ => {
                let b = self.builder.low(b, width);
                let op = match op {
                    AluOp::Add => Op::Add,
                    AluOp::Sub => Op::Sub,
                    AluOp::Mul => Op::Mul,
                    AluOp::UDiv => Op::UDiv,
                    AluOp::SDiv => Op::SDiv,
                    AluOp::URem => Op::URem,
                    AluOp::SRem => Op::SRem,
                    AluOp::Or => Op::Or,
                    AluOp::And => Op::And,
                    _ => Op::Xor,
                };
                self.builder.binary(op, a, b, width)
            }
        };
        self.builder.zext(result, width, 64)
    }

    /// Shift distances are taken modulo the width (RFC 9669 §4.1); as a distance of 5 or 6 bits they are.
    fn shift(&mut self, op: AluOp, a: Operand, distance: Operand, width: u32) -> Operand {
        let bits = width.trailing_zeros();
        let distance = self.builder.low(distance, bits);
        if distance == Operand::Const(0) {
            return a;
        }
        let op = match op {
            AluOp::Shl => Op::Shl,
            AluOp::LShr => Op::LShr,
            _ => Op::AShr,
        };
        // Up and down again, as compilers extend 8, 16 and 32 bits where there are no instructions for it.
        if let (Some(inner), Operand::Const(up)) = (self.shifted_up(a, distance), distance) {
            let kept = width - up as u32;
            if op == Op::LShr {
                let low = self.builder.slice(inner, width, 0, kept);
                return self.builder.zext(low, kept, width);
            }
            if op == Op::AShr {
                let low = self.builder.slice(inner, width, 0, kept);
                return self.builder.sext(low, kept, width);
            }
        }
        self.builder
            .pure(op, &[(a, width), (distance, bits)], width)
    }

    /// What was shifted up by a distance to give a value.
    fn shifted_up(&self, a: Operand, distance: Operand) -> Option<Operand> {
        let Operand::Value(value) = a else {
            return None;
        };
        let inst = self.builder.program.def_inst(value)?;
        let by = self
            .builder
            .program
            .as_const(*inst.args.get(1)?)?
            .as_u64()?;
        (inst.op == Op::Shl && distance == Operand::Const(by)).then(|| inst.args[0].into())
    }

    fn alu_pointer(
        &mut self,
        op: AluOp,
        wide: bool,
        a: AbstractValue,
        b: AbstractValue,
    ) -> AbstractValue {
        use AbstractValue::Scalar;
        let result = match (op, a, b) {
            (AluOp::Add, pointer, Scalar(distance)) | (AluOp::Add, Scalar(distance), pointer)
                if !wide =>
            {
                self.moved_low(pointer, distance)
            }
            (AluOp::Sub, pointer, Scalar(distance)) if !wide => {
                let distance = self
                    .builder
                    .binary(Op::Sub, Operand::Const(0), distance, 64);
                self.moved_low(pointer, distance)
            }
            (AluOp::Sub, a, b) if !wide => self.packet_distance(a, b).map(|(a, b)| {
                let difference = self.builder.binary(Op::Sub, a, b, 64);
                let low = self.builder.low(difference, 32);
                Scalar(self.builder.zext(low, 32, 64))
            }),
            _ if !wide => None,
            (AluOp::Add, pointer, Scalar(distance)) | (AluOp::Add, Scalar(distance), pointer) => {
                self.moved(pointer, distance)
            }
            (AluOp::Sub, pointer, Scalar(distance)) => {
                let distance = self
                    .builder
                    .binary(Op::Sub, Operand::Const(0), distance, 64);
                self.moved(pointer, distance)
            }
            (AluOp::Sub, a, b) => self
                .distance(a, b)
                .map(|(a, b)| Scalar(self.builder.binary(Op::Sub, a, b, 64))),
            _ => None,
        };
        result.unwrap_or_else(|| {
            let both = format!("{} and {} are combined", a.description(), b.description());
            if a.is_old_packet() || b.is_old_packet() {
                self.refuse_old_packet(both);
            } else {
                self.refuse(
                    "pointer-arithmetic",
                    format!("{both} in a way that only makes sense for numbers"),
                    "pointers may be moved by a 64-bit number, and pointers into the same memory may be subtracted",
                );
            }
            AbstractValue::Reported
        })
    }

    /// A pointer moved by a distance; `None` where that makes no sense.
    pub(super) fn moved(
        &mut self,
        pointer: AbstractValue,
        distance: Operand,
    ) -> Option<AbstractValue> {
        Some(match pointer {
            AbstractValue::Packet(offset) => {
                AbstractValue::Packet(self.builder.add(offset, distance))
            }
            AbstractValue::PacketEnd(offset) => {
                AbstractValue::PacketEnd(self.builder.add(offset, distance))
            }
            AbstractValue::OldPacket(offset) => {
                AbstractValue::OldPacket(self.builder.add(offset, distance))
            }
            AbstractValue::Stack(offset) => {
                AbstractValue::Stack(self.builder.add(offset, distance))
            }
            AbstractValue::Rodata { map, offset } => AbstractValue::Rodata {
                map,
                offset: self.builder.add(offset, distance),
            },
            AbstractValue::MapValue(pointer) => AbstractValue::MapValue(MapPointer {
                offset: self.builder.add(pointer.offset, distance),
                ..pointer
            }),
            AbstractValue::Event => AbstractValue::Event,
            AbstractValue::Context(offset) => match distance {
                Operand::Const(distance) => {
                    AbstractValue::Context(offset.wrapping_add(distance as i64))
                }
                Operand::Value(_) => return None,
            },
            _ => return None,
        })
    }

    /// Two numbers (64 bits) that compare and subtract as two pointers into the same memory do; `None` for
    /// pointers into different memories.
    pub(super) fn distance(
        &mut self,
        a: AbstractValue,
        b: AbstractValue,
    ) -> Option<(Operand, Operand)> {
        use AbstractValue::{
            Context, MapValue, OldPacket, Packet, PacketEnd, PacketLow, Rodata, Stack,
        };
        Some(match (a, b) {
            (Packet(a), Packet(b))
            | (PacketEnd(a), PacketEnd(b))
            | (PacketLow(a), PacketLow(b))
            | (OldPacket(a), OldPacket(b))
            | (Stack(a), Stack(b)) => (a, b),
            (Packet(a), PacketEnd(b)) => (a, self.behind_packet(b)),
            (PacketEnd(a), Packet(b)) => (self.behind_packet(a), b),
            (Context(a), Context(b)) => (Operand::Const(a as u64), Operand::Const(b as u64)),
            (MapValue(a), MapValue(b))
                if a.map == b.map && a.hit == b.hit && a.entry == b.entry =>
            {
                (a.offset, b.offset)
            }
            (
                Rodata { map, offset },
                Rodata {
                    map: other_map,
                    offset: other,
                },
            ) if map == other_map => (offset, other),
            _ => return None,
        })
    }

    /// [`Self::distance`] of two addresses in the packet of which only the low halves count. A packet lies in one piece
    /// of memory that is aligned to its size, so the low halves of its addresses are in the order of the addresses and
    /// as far from each other.
    pub(super) fn packet_distance(
        &mut self,
        a: AbstractValue,
        b: AbstractValue,
    ) -> Option<(Operand, Operand)> {
        self.packet_offset(a).zip(self.packet_offset(b))
    }

    fn packet_offset(&mut self, address: AbstractValue) -> Option<Operand> {
        match address {
            AbstractValue::Packet(offset)
            | AbstractValue::PacketLow(offset)
            | AbstractValue::OldPacket(offset) => Some(offset),
            AbstractValue::PacketEnd(offset) => Some(self.behind_packet(offset)),
            _ => None,
        }
    }

    /// The low half of a packet pointer, moved by the low half of a distance.
    fn moved_low(&mut self, pointer: AbstractValue, distance: Operand) -> Option<AbstractValue> {
        let offset = self.packet_offset(pointer)?;
        let distance = self.builder.low(distance, 32);
        let distance = self.builder.sext(distance, 32, 64);
        Some(AbstractValue::PacketLow(self.builder.add(offset, distance)))
    }

    fn behind_packet(&mut self, offset: Operand) -> Operand {
        let end = self.packet_end();
        self.builder.add(end, offset)
    }

    pub(super) fn negate(&mut self, wide: bool, dst: u8) {
        let Some(a) = self.scalar(dst) else {
            self.set_register(dst, AbstractValue::Reported);
            return;
        };
        let result = self.alu_scalar(AluOp::Sub, wide, Operand::Const(0), a);
        let name = self.result_name(dst);
        self.set_scalar(dst, result, &name);
    }

    /// `dst = source`, with sign extension where the instruction says so.
    pub(super) fn copy(&mut self, wide: bool, dst: u8, source: Source, signed_bits: Option<u32>) {
        let value = match self.source_to_copy(source, wide) {
            value if wide && signed_bits.is_none() => value,
            AbstractValue::Scalar(a) => {
                let width = if wide { 64 } else { 32 };
                let bits = signed_bits.unwrap_or(width);
                let low = self.builder.low(a, bits);
                let extended = self.builder.sext(low, bits, width);
                AbstractValue::Scalar(self.builder.zext(extended, width, 64))
            }
            pointer if signed_bits.is_none() && self.packet_offset(pointer).is_some() => self
                .moved_low(pointer, Operand::Const(0))
                .unwrap_or(AbstractValue::Reported),
            pointer if pointer.is_pointer() => {
                self.refuse(
                    "pointer-as-number",
                    format!("half of {} is copied", pointer.description()),
                    "addresses do not exist in hardware; use differences of pointers",
                );
                AbstractValue::Reported
            }
            unusable => unusable,
        };
        self.set_register(dst, value);
    }

    /// The source of a move. What has no value is no error before it is used, but for reading a register that was
    /// never written, which the kernel refuses.
    fn source_to_copy(&mut self, source: Source, wide: bool) -> AbstractValue {
        match source {
            Source::Register(register) => match self.register(register) {
                AbstractValue::Uninitialised => {
                    self.usable(register);
                    AbstractValue::Reported
                }
                value => value,
            },
            Source::Immediate(_) => self.source(source, wide).unwrap_or(AbstractValue::Reported),
        }
    }

    /// `le`, `be` and `bswap`.
    pub(super) fn swap(&mut self, dst: u8, bits: u32, reverse: bool) {
        let Some(a) = self.scalar(dst) else {
            self.set_register(dst, AbstractValue::Reported);
            return;
        };
        let low = self.builder.low(a, bits);
        let swapped = if reverse {
            self.builder.reverse_bytes(low, bits / 8)
        } else {
            low
        };
        let name = self.result_name(dst);
        self.builder.name(swapped, &name);
        let result = self.builder.zext(swapped, bits, 64);
        self.set_scalar(dst, result, &name);
    }
}
