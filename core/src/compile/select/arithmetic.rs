//! Operations that only compute.

use super::super::code::Reg;
use super::apart;
use super::bools::{self, Bool};
use super::pieces::{self, Piece, Pieces};
use super::whole::Computed;
use super::Select;
use crate::isa::{Action, Compute, Condition, Field, Operand};
use cranelift_entity::SecondaryMap;
use hardpath_ir::{InstData, Op, Value};
use std::rc::Rc;

impl Select<'_> {
    pub(super) fn pure(&mut self, data: &InstData) {
        let result = data.results[0];
        let width = self.program.width(result);
        if let Some(condition) = condition(&data.op) {
            let one = match self.program.width(data.args[0]) {
                1 => self.compare_bits(condition, data),
                _ => self.compare_values(condition, data),
            };
            self.bools.insert(result, one);
            return;
        }
        if width == 1 {
            if let Some(one) = self.bit_logic(data) {
                self.bools.insert(result, one);
                return;
            }
        }
        let pieces = match &data.op {
            Op::Slice { lo } => {
                let from = self.value(data.args[0]);
                pieces::slice(&from, *lo, width)
            }
            Op::Concat => self.concat(&data.args),
            Op::ZExt => {
                let mut from = self.value(data.args[0]);
                for zero in pieces::zeros(width - pieces::width(&from)) {
                    pieces::push(&mut from, zero);
                }
                from
            }
            Op::SExt => self.sign_extended(data.args[0], width),
            Op::Select => self.select(data, width),
            Op::Shl | Op::LShr if self.program.as_const(data.args[1]).is_some() => {
                self.shifted(data, width)
            }
            Op::And if self.low_mask(data).is_some() => self.masked(data, width),
            _ if width > 64 => self.wide(data, width),
            _ => self.computed(data, width as u8),
        };
        let pieces = match self.apart.contains(&result) {
            true => self.made_apart(&pieces),
            false => pieces,
        };
        self.define(result, pieces);
    }

    fn concat(&mut self, args: &[Value]) -> Pieces {
        let mut all = Vec::new();
        for arg in args.iter().rev() {
            for piece in self.value(*arg) {
                pieces::push(&mut all, piece);
            }
        }
        all
    }

    fn sign_extended(&mut self, arg: Value, width: u32) -> Pieces {
        let from = self.value(arg);
        let bits = pieces::width(&from);
        if bits == width {
            return from;
        }
        let top = pieces::slice(&from, (bits - 1) / 64 * 64, (bits - 1) % 64 + 1);
        let a = self.signed_operand(&top);
        let to = self.code.reg();
        self.emit(Action::Move { a, to });
        let mut all = pieces::slice(&from, 0, (bits - 1) / 64 * 64);
        let word = (width - pieces::width(&all)).min(64);
        pieces::push(&mut all, Piece::of(to, word as u8));
        while pieces::width(&all) < width {
            let sign = self.sign(to);
            let word = (width - pieces::width(&all)).min(64);
            all.push(Piece::of(sign, word as u8));
        }
        all
    }

    /// 64 copies of a register's highest bit.
    fn sign(&mut self, reg: Reg) -> Reg {
        let a = Operand::Field(Field {
            lo: 63,
            width: 1,
            signed: true,
            ..Field::whole(reg)
        });
        let to = self.code.reg();
        self.emit(Action::Move { a, to });
        to
    }

    fn select(&mut self, data: &InstData, width: u32) -> Pieces {
        let (cond, yes, no) = self.choice(data);
        let (yes, no) = (self.value(yes), self.value(no));
        if let Bool::Known(known) = *cond {
            return if known { yes } else { no };
        }
        let when = self.guard(&cond);
        let mut all = Vec::new();
        for word in 0..width.div_ceil(64) {
            let bits = (width - word * 64).min(64) as u8;
            let (a, b) = (self.word(&yes, word), self.word(&no, word));
            let to = self.code.reg();
            self.emit(Action::Select { when, a, b, to });
            all.push(Piece::of(to, bits));
        }
        all
    }

    /// What a choice asks and gives; with what it chooses from choices that nobody else needs, where one of two is the same.
    fn choice(&mut self, data: &InstData) -> (Rc<Bool>, Value, Value) {
        let program = self.program;
        let mut cond = self.bool(data.args[0]);
        let (mut yes, mut no) = (data.args[1], data.args[2]);
        let inner = |value: Value, uses: &SecondaryMap<Value, u32>| {
            let made = program.def_inst(value)?;
            (made.op == Op::Select && uses[value] == 1).then_some(&made.args)
        };
        loop {
            match (inner(yes, &self.uses), inner(no, &self.uses)) {
                (Some(args), _) if args[2] == no => {
                    cond = bools::and(&cond, &self.bool(args[0]));
                    yes = args[1];
                }
                (Some(args), _) if args[1] == no => {
                    cond = bools::and(&cond, &bools::not(&self.bool(args[0])));
                    yes = args[2];
                }
                (_, Some(args)) if args[1] == yes => {
                    cond = bools::or(&cond, &self.bool(args[0]));
                    no = args[2];
                }
                (_, Some(args)) if args[2] == yes => {
                    cond = bools::or(&cond, &bools::not(&self.bool(args[0])));
                    no = args[1];
                }
                _ => return (cond, yes, no),
            }
        }
    }

    /// A shift by a number is a matter of places.
    fn shifted(&mut self, data: &InstData, width: u32) -> Pieces {
        let distance = self.program.as_const(data.args[1]);
        let distance = distance.map_or(0, |bits| bits.saturating_u64());
        let distance = distance.min(u64::from(width)) as u32;
        let from = self.value(data.args[0]);
        match data.op {
            Op::Shl => {
                let mut all = pieces::zeros(distance);
                for piece in pieces::slice(&from, 0, width - distance) {
                    pieces::push(&mut all, piece);
                }
                all
            }
            _ => pieces::slice(&from, distance, width),
        }
    }

    /// How many ones a mask has from bit 0 on, when it is one and has no others.
    fn low_mask(&self, data: &InstData) -> Option<(usize, u32)> {
        apart::low_mask(self.program, data)
    }

    fn masked(&mut self, data: &InstData, width: u32) -> Pieces {
        let (side, ones) = self.low_mask(data).expect("it was asked for");
        let from = self.value(data.args[side]);
        let mut all = pieces::slice(&from, 0, ones);
        for zero in pieces::zeros(width - ones) {
            pieces::push(&mut all, zero);
        }
        all
    }

    fn computed(&mut self, data: &InstData, width: u8) -> Pieces {
        if data.op == Op::Not {
            let a = self.operand_of(data.args[0]);
            let ones = Operand::Number(crate::interpreter::low(u64::MAX, width));
            return self.compute(Compute::Xor, width, a, ones);
        }
        let (op, is_signed) = match data.op {
            Op::Add => (Compute::Add, false),
            Op::Sub => (Compute::Sub, false),
            Op::Mul => (Compute::Mul, false),
            Op::UDiv => (Compute::UDiv, false),
            Op::URem => (Compute::URem, false),
            Op::SDiv => (Compute::SDiv, true),
            Op::SRem => (Compute::SRem, true),
            Op::And => (Compute::And, false),
            Op::Or => (Compute::Or, false),
            Op::Xor => (Compute::Xor, false),
            Op::Shl => (Compute::Shl, false),
            Op::LShr => (Compute::LShr, false),
            Op::AShr => (Compute::AShr, true),
            _ => unreachable!("{:?} does not compute", data.op),
        };
        let (a, b) = (self.value(data.args[0]), self.value(data.args[1]));
        let shifts = matches!(op, Compute::Shl | Compute::LShr | Compute::AShr);
        let left = match is_signed {
            true => self.signed_operand(&a),
            false => self.operand(&a),
        };
        let right = match (is_signed && !shifts, shifts) {
            (true, _) => self.signed_operand(&b),
            (_, true) => self.distance(&b),
            _ => self.operand(&b),
        };
        match (left, right) {
            (Operand::Number(_), Operand::Field(_)) if commutes(op) => {
                self.compute(op, width, right, left)
            }
            _ => self.compute(op, width, left, right),
        }
    }

    /// How far a shift goes, of which the number can be of any width.
    fn distance(&mut self, pieces: &Pieces) -> Operand<Reg> {
        let all = pieces::width(pieces);
        if all <= 64 {
            return self.operand(pieces);
        }
        let above = pieces::slice(pieces, 64, all - 64);
        let nothing = pieces::zeros(all - 64);
        let is_far = self.test(Condition::Ne, &above, &nothing);
        let when = self.guard(&is_far);
        let b = self.word(pieces, 0);
        let to = self.code.reg();
        let a = Operand::Number(64);
        self.emit(Action::Select { when, a, b, to });
        Operand::Field(Field::whole(to))
    }

    pub(super) fn compute(
        &mut self,
        op: Compute,
        width: u8,
        a: Operand<Reg>,
        b: Operand<Reg>,
    ) -> Pieces {
        let to = self.code.reg();
        self.computed.insert(to, Computed { op, width, a, b });
        self.emit(Action::Compute {
            op,
            width,
            a,
            b,
            to,
        });
        vec![Piece::of(to, width)]
    }

    /// Word for word.
    fn wide(&mut self, data: &InstData, width: u32) -> Pieces {
        let op = match data.op {
            Op::And => Compute::And,
            Op::Or => Compute::Or,
            Op::Xor | Op::Not => Compute::Xor,
            Op::Add | Op::Sub => return self.wide_sum(data, width),
            _ => {
                self.refuse(data, "multiply, divide or shift more than 64 bits");
                return pieces::zeros(width);
            }
        };
        let a = self.value(data.args[0]);
        let b = match data.op {
            Op::Not => {
                let mut ones = Vec::new();
                for zero in pieces::zeros(width) {
                    let bits = zero.width();
                    ones.push(Piece::Number(crate::interpreter::low(u64::MAX, bits), bits));
                }
                ones
            }
            _ => self.value(data.args[1]),
        };
        let mut all = Vec::new();
        for word in 0..width.div_ceil(64) {
            let bits = (width - word * 64).min(64) as u8;
            let (a, b) = (self.word(&a, word), self.word(&b, word));
            all.extend(self.compute(op, bits, a, b));
        }
        all
    }

    /// Each word with what the one below carries.
    fn wide_sum(&mut self, data: &InstData, width: u32) -> Pieces {
        let (op, carried) = match data.op {
            Op::Add => (Compute::Add, Condition::Ult),
            _ => (Compute::Sub, Condition::Ugt),
        };
        let (a, b) = (self.value(data.args[0]), self.value(data.args[1]));
        let mut all: Pieces = Vec::new();
        let mut carry: Option<Pieces> = None;
        for word in 0..width.div_ceil(64) {
            let bits = (width - word * 64).min(64) as u8;
            let slice = |from: &Pieces| pieces::slice(from, word * 64, bits.into());
            let (left, right) = (slice(&a), slice(&b));
            let (one, other) = (self.operand(&left), self.operand(&right));
            let mut sum = self.compute(op, bits, one, other);
            let mut over = self.test(carried, &sum, &left);
            if let Some(carry) = carry {
                let before = sum.clone();
                let (one, other) = (self.operand(&sum), self.operand(&carry));
                sum = self.compute(op, bits, one, other);
                let again = self.test(carried, &sum, &before);
                over = bools::or(&over, &again);
            }
            carry = Some(vec![self.bit(&over)]);
            all.extend(sum);
        }
        all
    }

    fn compare_values(&mut self, condition: Condition, data: &InstData) -> Rc<Bool> {
        if let Some(one) = self.shared_bits(condition, data) {
            return one;
        }
        let (a, b) = (self.value(data.args[0]), self.value(data.args[1]));
        self.test(condition, &a, &b)
    }

    /// `a & b` beside 0.
    fn shared_bits(&mut self, condition: Condition, data: &InstData) -> Option<Rc<Bool>> {
        let (masked, zero) = (data.args[0], data.args[1]);
        let is_zero = self
            .program
            .as_const(zero)
            .is_some_and(|bits| bits.is_zero());
        let condition = match condition {
            Condition::Eq => Condition::Disjoint,
            Condition::Ne => Condition::Any,
            _ => return None,
        };
        let made = self.program.def_inst(masked)?;
        if !is_zero || made.op != Op::And || self.program.width(masked) > 64 {
            return None;
        }
        let (a, b) = (self.operand_of(made.args[0]), self.operand_of(made.args[1]));
        let (a, b) = match a {
            Operand::Number(_) => (b, a),
            Operand::Field(_) => (a, b),
        };
        let test = crate::isa::Test { condition, a, b };
        Some(Rc::new(Bool::Test(test)))
    }

    /// A comparison of single bits is logic.
    fn compare_bits(&mut self, condition: Condition, data: &InstData) -> Rc<Bool> {
        let (a, b) = (self.bool(data.args[0]), self.bool(data.args[1]));
        match condition {
            Condition::Eq => bools::not(&bools::xor(&a, &b)),
            Condition::Ne => bools::xor(&a, &b),
            Condition::Ult | Condition::Sgt => bools::and(&bools::not(&a), &b),
            Condition::Ule | Condition::Sge => bools::or(&bools::not(&a), &b),
            // As numbers with a sign 1 is −1.
            Condition::Slt | Condition::Ugt => bools::and(&a, &bools::not(&b)),
            Condition::Sle | Condition::Uge => bools::or(&a, &bools::not(&b)),
            Condition::Any | Condition::Disjoint => unreachable!("the IR has no such compare"),
        }
    }

    /// Logic and choice of single bits; `None`: something else.
    fn bit_logic(&mut self, data: &InstData) -> Option<Rc<Bool>> {
        let args: Vec<Value> = data.args.clone();
        let mut bool = |index: usize| self.bool(args[index]);
        Some(match data.op {
            Op::And => bools::and(&bool(0), &bool(1)),
            Op::Or => bools::or(&bool(0), &bool(1)),
            Op::Xor | Op::Add | Op::Sub => bools::xor(&bool(0), &bool(1)),
            Op::Not => bools::not(&bool(0)),
            Op::Select => {
                let (cond, yes, no) = (bool(0), bool(1), bool(2));
                bools::choice(&cond, &yes, &no)
            }
            _ => return None,
        })
    }
}

/// The operands can change places.
pub fn commutes(op: Compute) -> bool {
    matches!(
        op,
        Compute::Add | Compute::Mul | Compute::And | Compute::Or | Compute::Xor
    )
}

fn condition(op: &Op) -> Option<Condition> {
    Some(match op {
        Op::Eq => Condition::Eq,
        Op::Ne => Condition::Ne,
        Op::Ult => Condition::Ult,
        Op::Ule => Condition::Ule,
        Op::Slt => Condition::Slt,
        Op::Sle => Condition::Sle,
        _ => return None,
    })
}
