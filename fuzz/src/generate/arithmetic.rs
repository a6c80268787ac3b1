//! Arithmetic on numbers.

use super::Generator;
use crate::encode::{self, Alu, Operand, Swap};

/// Operations that cost hardware little, each as often as it stands here.
const CHEAP: [Alu; 14] = [
    encode::ADD,
    encode::ADD,
    encode::SUB,
    encode::AND,
    encode::AND,
    encode::OR,
    encode::XOR,
    encode::XOR,
    encode::LSH,
    encode::RSH,
    encode::ARSH,
    encode::MOV,
    encode::ADD,
    encode::SUB,
];

const DEAR: [Alu; 6] = [
    encode::MUL,
    encode::MUL,
    encode::DIV,
    encode::MOD,
    encode::SDIV,
    encode::SMOD,
];

impl Generator {
    pub(super) fn arithmetic(&mut self) {
        let wide = self.random.percent(60);
        match self.random.weighted(&[74, 8, 6, 6, 3, 3]) {
            0 => {
                let op = self.random.one_of(CHEAP);
                self.binary(op, wide);
            }
            1 => {
                let op = self.random.one_of(DEAR);
                self.binary(op, wide);
            }
            2 => self.swap(),
            3 => self.move_signed(wide),
            4 => {
                let dst = self.changed_number();
                self.emit(encode::negate(wide, dst));
            }
            _ => {
                let dst = self.free_register(&[]);
                self.set_some_number(dst);
            }
        }
    }

    /// A number that is changed in place: sometimes a copy, so that the old one lives on.
    fn changed_number(&mut self) -> u8 {
        let register = self.number();
        if self.random.percent(75) {
            return register;
        }
        let dst = self.free_register(&[register]);
        self.copy(dst, register);
        dst
    }

    fn binary(&mut self, op: Alu, wide: bool) {
        let dst = self.changed_number();
        let source = self.operand_for(op, wide);
        let old = self.state.is_varied(dst) && op != encode::MOV;
        let varied = old || self.is_varied(source);
        self.emit(encode::alu(op, wide, dst, source));
        self.set_varied(dst, varied);
    }

    fn operand_for(&mut self, op: Alu, wide: bool) -> Operand {
        if self.random.percent(55) {
            return Operand::Register(self.number());
        }
        let width = if wide { 64 } else { 32 };
        let number = self.random.interesting() as i32;
        Operand::Number(match op {
            // Operands that leave something of the other one, mostly.
            encode::LSH | encode::RSH | encode::ARSH => {
                let most = if self.random.percent(70) { 9 } else { width };
                self.random.below(most) as i32
            }
            encode::AND | encode::OR | encode::MUL | encode::MOV if self.random.percent(70) => {
                self.random.bits32() as i32
            }
            encode::DIV | encode::MOD | encode::SDIV | encode::SMOD if number == 0 => 10,
            _ => number,
        })
    }

    fn swap(&mut self) {
        let dst = self.changed_number();
        let kind = self
            .random
            .one_of([Swap::ToBig, Swap::ToBig, Swap::ToLittle, Swap::Always]);
        let bits = self.random.one_of([16, 32, 64]);
        self.emit(encode::swap(kind, dst, bits));
    }

    fn move_signed(&mut self, wide: bool) {
        let src = self.number();
        let dst = self.free_register(&[]);
        let bits = match wide {
            true => self.random.one_of([8, 16, 32]),
            false => self.random.one_of([8, 16]),
        };
        let varied = self.state.is_varied(src);
        self.emit(encode::mov_signed(wide, dst, src, bits));
        self.set_varied(dst, varied);
    }

    /// A number of 0 to `mask`, in a register of its own.
    pub(super) fn masked_number(&mut self, mask: i32, kept: &[u8]) -> u8 {
        let number = self.number();
        let dst = self.free_register(kept);
        self.copy(dst, number);
        self.emit(encode::alu(encode::AND, true, dst, Operand::Number(mask)));
        dst
    }
}
