//! Instructions, where they are wanted; what is known of their arguments is computed at once.

use super::{ir, Deparse, Lower};
use crate::source::Span;
use hardpath_ir::ValueDef;
use num_bigint::BigInt;
use std::collections::HashMap;

/// Bits of the widest number that every target shifts by itself.
const WIDEST_WORD: u32 = 64;
/// Operations behind each other that are looked through.
const MOST_DEPTH: u32 = 1024;

impl Lower<'_> {
    /// A number of so many bits.
    pub(super) fn number(&mut self, number: impl Into<BigInt>, width: u32) -> ir::Value {
        let wrapped = crate::value::wrap(number.into(), width, false);
        let (_, bytes) = wrapped.to_bytes_le();
        let bits = match bytes.len() {
            0 => ir::Bits::zero(width),
            _ => {
                let bits = ir::Bits::from_bytes(&bytes);
                match bits.width() < width {
                    true => bits.zext(width),
                    false => bits.trunc(width),
                }
            }
        };
        self.ir.append_const(self.block, bits)
    }

    /// An operation that only computes.
    pub(super) fn op(&mut self, op: ir::Op, args: &[ir::Value], width: u32) -> ir::Value {
        let known: Option<Vec<ir::Bits>> = args
            .iter()
            .map(|arg| self.ir.as_const(*arg).cloned())
            .collect();
        if let Some(result) = known.and_then(|known| ir::eval::eval_pure(&op, &known, width)) {
            return self.ir.append_const(self.block, result);
        }
        if let (ir::Op::Shl | ir::Op::LShr | ir::Op::AShr, [value, by]) = (&op, args) {
            if let Some(by) = self.ir.as_const(*by).map(ir::Bits::saturating_u64) {
                return self.shifted(&op, *value, u32::try_from(by).unwrap_or(u32::MAX));
            }
            if width > WIDEST_WORD {
                return self.barrel(&op, *value, *by);
            }
        }
        if let (ir::Op::Mul, [a, b], Deparse::Memory) = (&op, args, self.deparse) {
            if width > WIDEST_WORD {
                return self.long_product(*a, *b);
            }
        }
        // Nothing is below zero or above the largest number: loops that go by that end.
        if let (ir::Op::Ult, [a, b]) = (&op, args) {
            let ends = self.ir.as_const(*a).is_some_and(ir::Bits::is_ones)
                || self.ir.as_const(*b).is_some_and(ir::Bits::is_zero);
            if ends {
                return self.number(0u32, 1);
            }
            // Nor behind what has less bits.
            if self.most(*b).is_some_and(|most| self.is_at_least(*a, most)) {
                return self.number(0u32, 1);
            }
        }
        if let (ir::Op::Ule, [a, b]) = (&op, args) {
            if self.most(*a).is_some_and(|most| self.is_at_least(*b, most)) {
                return self.number(1u32, 1);
            }
        }
        self.ir
            .append1(self.block, op, args.to_vec(), width, self.place)
    }

    /// The largest number that a value of few bits can be.
    fn most(&self, value: ir::Value) -> Option<u64> {
        let inst = self.ir.def_inst(value)?;
        let inner = (inst.op == ir::Op::ZExt).then(|| self.ir.width(inst.args[0]))?;
        1u64.checked_shl(inner).map(|all| all - 1)
    }

    /// The largest number that a value can be, of at most 63 bits, as far as additions of constants and choices between them say it.
    pub(super) fn most_of(&self, value: ir::Value) -> u64 {
        let mut arguments: HashMap<ir::Block, Vec<&[ir::Value]>> = HashMap::new();
        for block in self.ir.blocks.values() {
            for target in block.terminator.targets() {
                let all = arguments.entry(target.block).or_default();
                all.push(&target.args);
            }
        }
        self.most_by(value, &arguments, &mut HashMap::new(), 0)
    }

    fn most_by(
        &self,
        value: ir::Value,
        arguments: &HashMap<ir::Block, Vec<&[ir::Value]>>,
        known: &mut HashMap<ir::Value, u64>,
        depth: u32,
    ) -> u64 {
        let all = (1u64 << self.ir.width(value).min(63)) - 1;
        if let Some(most) = known.get(&value) {
            return *most;
        }
        if depth > MOST_DEPTH {
            return all;
        }
        let mut of = |value: ir::Value| self.most_by(value, arguments, known, depth + 1);
        let most = match self.ir.values[value].def {
            ValueDef::Param(block, index) => {
                let given = arguments.get(&block).into_iter().flatten();
                given
                    .map(|args| of(args[index as usize]))
                    .max()
                    .unwrap_or(all)
            }
            ValueDef::Result(inst, _) => {
                let inst = &self.ir.insts[inst];
                match &inst.op {
                    ir::Op::Const(bits) => bits.saturating_u64(),
                    ir::Op::Add => of(inst.args[0]).saturating_add(of(inst.args[1])),
                    ir::Op::Select => of(inst.args[1]).max(of(inst.args[2])),
                    ir::Op::ZExt => of(inst.args[0]),
                    ir::Op::Slice { lo } if self.ir.width(inst.args[0]) <= 63 => {
                        of(inst.args[0]) >> lo
                    }
                    _ => all,
                }
            }
        };
        // A sum that wraps can be anything.
        let most = most.min(all);
        known.insert(value, most);
        most
    }

    /// Always as large, and known to be.
    fn is_at_least(&self, value: ir::Value, least: u64) -> bool {
        let known = self.ir.as_const(value);
        known.is_some_and(|known| known.saturating_u64() >= least)
    }

    /// Moved by a number of bits that is known: nothing but wires.
    fn shifted(&mut self, op: &ir::Op, value: ir::Value, by: u32) -> ir::Value {
        let width = self.ir.width(value);
        let by = by.min(width);
        if by == 0 {
            return value;
        }
        let fill = match op {
            ir::Op::AShr => {
                let sign = self.slice(value, width - 1, 1);
                self.sext(sign, by)
            }
            _ => self.number(0u32, by),
        };
        if by == width {
            return fill;
        }
        match op {
            ir::Op::Shl => {
                let kept = self.slice(value, 0, width - by);
                self.concat(&[kept, fill])
            }
            _ => {
                let kept = self.slice(value, by, width - by);
                self.concat(&[fill, kept])
            }
        }
    }

    /// Moved by a number of bits that packets say: a choice for each bit of that number. So it is on every target, however wide.
    fn barrel(&mut self, op: &ir::Op, value: ir::Value, by: ir::Value) -> ir::Value {
        let (width, bits) = (self.ir.width(value), self.ir.width(by));
        let steps = u32::BITS - (width - 1).leading_zeros();
        let mut moved = value;
        for step in 0..steps.min(bits) {
            let asks = self.slice(by, step, 1);
            let further = self.shifted(op, moved, 1 << step);
            moved = self.select(asks, further, moved);
        }
        if bits > steps {
            let above = self.slice(by, steps, bits - steps);
            let is_inside = self.is(above, 0);
            let nothing = self.shifted(op, value, width);
            moved = self.select(is_inside, moved, nothing);
        }
        moved
    }

    /// The product of numbers that are wider than a processor's words, as it is done by hand: of digits of half a word each.
    fn long_product(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        const DIGIT: u32 = WIDEST_WORD / 2;
        let width = self.ir.width(a);
        let digit = |all: &mut Self, of: ir::Value, lo: u32| {
            let digit = all.slice(of, lo, DIGIT.min(width - lo));
            all.zext(digit, WIDEST_WORD)
        };
        let mut sum = self.number(0u32, width);
        for first in (0..width).step_by(DIGIT as usize) {
            for second in (0..width - first).step_by(DIGIT as usize) {
                let (one, other) = (digit(self, a, first), digit(self, b, second));
                let part = self.op(ir::Op::Mul, &[one, other], WIDEST_WORD);
                let part = self.zext(part, width);
                let part = self.shifted(&ir::Op::Shl, part, first + second);
                sum = self.op(ir::Op::Add, &[sum, part], width);
            }
        }
        sum
    }

    /// Something that happens, with its results.
    pub(super) fn effect(
        &mut self,
        op: ir::Op,
        args: &[ir::Value],
        widths: &[u32],
    ) -> Vec<ir::Value> {
        let inst = self
            .ir
            .append(self.block, op, args.to_vec(), widths, self.place);
        self.ir.insts[inst].results.clone()
    }

    pub(super) fn input(&mut self, input: ir::Input, width: u32) -> ir::Value {
        self.ir.append1(
            self.block,
            ir::Op::Input(input),
            Vec::new(),
            width,
            self.place,
        )
    }

    /// Widened with zeros, or cut.
    pub(super) fn zext(&mut self, value: ir::Value, width: u32) -> ir::Value {
        match self.ir.width(value) {
            own if own == width => value,
            own if own < width => self.op(ir::Op::ZExt, &[value], width),
            _ => self.slice(value, 0, width),
        }
    }

    /// Widened with its sign, or cut.
    pub(super) fn sext(&mut self, value: ir::Value, width: u32) -> ir::Value {
        match self.ir.width(value) {
            own if own == width => value,
            own if own < width => self.op(ir::Op::SExt, &[value], width),
            _ => self.slice(value, 0, width),
        }
    }

    pub(super) fn slice(&mut self, value: ir::Value, lo: u32, width: u32) -> ir::Value {
        match lo == 0 && self.ir.width(value) == width {
            true => value,
            false => self.op(ir::Op::Slice { lo }, &[value], width),
        }
    }

    /// Side by side, the first one on top.
    pub(super) fn concat(&mut self, parts: &[ir::Value]) -> ir::Value {
        match parts {
            [only] => *only,
            _ => {
                let width = parts.iter().map(|part| self.ir.width(*part)).sum();
                self.op(ir::Op::Concat, parts, width)
            }
        }
    }

    pub(super) fn select(
        &mut self,
        condition: ir::Value,
        yes: ir::Value,
        no: ir::Value,
    ) -> ir::Value {
        if yes == no {
            return yes;
        }
        match self.ir.as_const(condition).map(|bits| bits.is_zero()) {
            Some(true) => no,
            Some(false) => yes,
            None => {
                let width = self.ir.width(yes);
                self.op(ir::Op::Select, &[condition, yes, no], width)
            }
        }
    }

    pub(super) fn and(&mut self, one: ir::Value, other: ir::Value) -> ir::Value {
        if let Some(bits) = self.ir.as_const(one) {
            return if bits.is_zero() { one } else { other };
        }
        if let Some(bits) = self.ir.as_const(other) {
            return if bits.is_zero() { other } else { one };
        }
        self.op(ir::Op::And, &[one, other], 1)
    }

    pub(super) fn or(&mut self, one: ir::Value, other: ir::Value) -> ir::Value {
        if let Some(bits) = self.ir.as_const(one) {
            return if bits.is_zero() { other } else { one };
        }
        if let Some(bits) = self.ir.as_const(other) {
            return if bits.is_zero() { one } else { other };
        }
        self.op(ir::Op::Or, &[one, other], 1)
    }

    pub(super) fn not(&mut self, one: ir::Value) -> ir::Value {
        let width = self.ir.width(one);
        self.op(ir::Op::Not, &[one], width)
    }

    pub(super) fn equal(&mut self, one: ir::Value, other: ir::Value) -> ir::Value {
        if one == other {
            return self.number(1u32, 1);
        }
        self.op(ir::Op::Eq, &[one, other], 1)
    }

    /// Whether it is that number.
    pub(super) fn is(&mut self, one: ir::Value, number: u64) -> ir::Value {
        let width = self.ir.width(one);
        if width < 64 && number >> width != 0 {
            return self.number(0u32, 1);
        }
        let number = self.number(number, width);
        self.equal(one, number)
    }

    pub(super) fn add(&mut self, one: ir::Value, other: ir::Value) -> ir::Value {
        let width = self.ir.width(one);
        self.op(ir::Op::Add, &[one, other], width)
    }

    /// Bytes in the other order: the first one is on top then.
    pub(super) fn swapped(&mut self, value: ir::Value) -> ir::Value {
        let bytes = self.ir.width(value) / 8;
        if bytes < 2 {
            return value;
        }
        let parts: Vec<ir::Value> = (0..bytes)
            .map(|byte| self.slice(value, byte * 8, 8))
            .collect();
        self.concat(&parts)
    }

    /// What follows comes from there.
    pub(super) fn at(&mut self, span: Span) {
        if let Some(place) = self.places.get(&(span.file, span.start)) {
            self.place = Some(*place);
            return;
        }
        let place = self.sources.place(span);
        let text = &self.sources.file(span.file).text;
        let line = text.lines().nth(place.line.saturating_sub(1) as usize);
        let made = self.ir.places.push(ir::Place {
            slot: 0,
            file: self.sources.file(span.file).name.clone(),
            line: place.line,
            column: place.column,
            source: line.unwrap_or("").trim().to_owned(),
            within: Default::default(),
        });
        self.places.insert((span.file, span.start), made);
        self.place = Some(made);
    }
}
