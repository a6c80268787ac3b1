//! Pieces that have an operation of their own, where nothing else may cut, join, swap and shift.
//!
//! What only such an operation uses is part of it: two bytes that are read to be swapped are one swap, as on other processors.

use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::isa::{Action, Field, Operand};
use hardpath_ir::{InstData, Op, Program, Value};
use std::collections::HashSet;

/// The results of cutting, joining, shifting by a number and masking that something else uses.
pub fn apart(program: &Program) -> HashSet<Value> {
    let mut pieces = HashSet::new();
    let mut used = HashSet::new();
    for &block in &program.order {
        let data = &program.blocks[block];
        for &inst in &data.insts {
            let inst = &program.insts[inst];
            match is_piece(program, inst) {
                true => pieces.extend(inst.results.iter().copied()),
                false => used.extend(inst.args.iter().copied()),
            }
        }
        used.extend(data.terminator.uses());
    }
    pieces.retain(|value| used.contains(value));
    pieces
}

fn is_piece(program: &Program, inst: &InstData) -> bool {
    match inst.op {
        Op::Slice { .. } | Op::Concat => true,
        Op::Shl | Op::LShr => program.as_const(inst.args[1]).is_some(),
        Op::And => low_mask(program, inst).is_some(),
        _ => false,
    }
}

/// Of an `and`: the argument that is no mask, and how many ones the mask has from bit 0 on, when it has no others.
pub fn low_mask(program: &Program, data: &InstData) -> Option<(usize, u32)> {
    (0..2).find_map(|side| {
        let mask = program.as_const(data.args[side])?;
        let ones = mask.count_ones();
        let is_low = mask.not().trailing_zeros() == ones;
        is_low.then_some((1 - side, ones))
    })
}

impl Select<'_> {
    /// The same in registers, but for what stands in one already.
    pub(super) fn made_apart(&mut self, all: &Pieces) -> Pieces {
        let mut made = Vec::new();
        for word in 0..pieces::width(all).div_ceil(64) {
            let bits = (pieces::width(all) - word * 64).min(64) as u8;
            let a = self.word(all, word);
            let to = match a {
                Operand::Number(number) => {
                    made.push(Piece::Number(number, bits));
                    continue;
                }
                Operand::Field(field) if field == Field::whole(field.reg) => field.reg,
                Operand::Field(Field {
                    reg,
                    lo: 0,
                    swapped: false,
                    ..
                }) if self.is_made(reg) => reg,
                _ => {
                    let to = self.code.reg();
                    self.emit(Action::Move { a, to });
                    to
                }
            };
            made.push(Piece::of(to, bits));
        }
        made
    }

    /// The last operation has just put this register together.
    fn is_made(&self, reg: super::Reg) -> bool {
        let last = self.code.blocks[self.here].last();
        last.is_some_and(|step| step.touched().writes.contains(&reg))
    }
}
