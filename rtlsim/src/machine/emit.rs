//! From the steps of a chunk to Cranelift's instructions.
//!
//! A limb that can only be 0 or 1 is an `i8`, any other an `i64`.

use super::flags;
use crate::code::{Code, Limb, Op, Store};
use crate::regions::{Region, Regions};
use crate::schedule::{Schedule, Step};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{types, Block, InstBuilder, Value};
use cranelift_entity::{EntityRef, SecondaryMap};
use cranelift_frontend::FunctionBuilder;

pub struct Emitter<'a> {
    code: &'a Code,
    regions: &'a Regions,
    schedule: &'a Schedule,
    made: SecondaryMap<Limb, Made>,
    /// Truth values as `i64`.
    widened: SecondaryMap<Limb, Made>,
    /// Counts steps over all chunks.
    clock: u32,
    /// The first step of the present chunk.
    chunk_start: u32,
    /// The regions within the whole clock that are open, outermost first, each with the block behind it.
    open: Vec<(Region, Block)>,
}

/// An instruction's result, the step in which it was made, and the region whose block has it.
#[derive(Clone, Copy)]
struct Made {
    value: Option<Value>,
    step: u32,
    region: Region,
}

/// What is cheap is made again when the last time is so many steps away: shorter lives, fewer spills.
const REMADE_LIFE: u32 = 64;

/// What the present chunk is emitted with.
struct Scope<'f, 'b> {
    builder: &'f mut FunctionBuilder<'b>,
    arena: Value,
}

impl<'a> Emitter<'a> {
    pub fn new(code: &'a Code, regions: &'a Regions, schedule: &'a Schedule) -> Emitter<'a> {
        let nothing = Made {
            value: None,
            step: 0,
            region: Region::new(0),
        };
        Emitter {
            code,
            regions,
            schedule,
            made: SecondaryMap::with_default(nothing),
            widened: SecondaryMap::with_default(nothing),
            clock: 1,
            chunk_start: 1,
            open: Vec::new(),
        }
    }

    /// Fills the body of a chunk's function.
    pub fn chunk(&mut self, builder: &mut FunctionBuilder, block: Block, steps: &[(Region, Step)]) {
        let arena = builder.block_params(block)[0];
        let mut scope = Scope { builder, arena };
        self.chunk_start = self.clock;
        for (region, step) in steps {
            self.enter(&mut scope, *region);
            match step {
                Step::Compute(limb) => {
                    let value = self.compute(&mut scope, *limb);
                    self.remember(*limb, value);
                    if let Some(offset) = self.schedule.scratch[*limb] {
                        scope.store(offset, value);
                    }
                }
                Step::Store(store) => self.store(&mut scope, store),
                Step::Call(_) => unreachable!("calls stand between chunks"),
            }
            self.clock += 1;
        }
        self.enter(&mut scope, Region::new(0));
        scope.builder.ins().return_(&[]);
    }

    /// Goes from the present region to another one: out of those that do not hold it, into those that do.
    fn enter(&mut self, scope: &mut Scope, region: Region) {
        if self.region() == region {
            return;
        }
        let mut path = Vec::new();
        let mut at = region;
        while at != Region::new(0) {
            path.push(at);
            at = self.regions.tree[at].parent;
        }
        while let Some((last, behind)) = self.open.last().copied() {
            if path.contains(&last) {
                break;
            }
            scope.builder.ins().jump(behind, &[]);
            scope.builder.switch_to_block(behind);
            scope.builder.seal_block(behind);
            self.open.pop();
        }
        for inner in path.into_iter().rev().skip(self.open.len()) {
            let condition = self.regions.tree[inner].condition;
            let condition = self.value(scope, condition.expect("a region within has a condition"));
            let (within, behind) = (scope.builder.create_block(), scope.builder.create_block());
            scope
                .builder
                .ins()
                .brif(condition, within, &[], behind, &[]);
            scope.builder.switch_to_block(within);
            scope.builder.seal_block(within);
            self.open.push((inner, behind));
        }
    }

    /// The innermost region that is open.
    fn region(&self) -> Region {
        self.open
            .last()
            .map_or(Region::new(0), |(region, _)| *region)
    }

    /// The value, when it can be used here and is not older than `oldest`.
    fn usable(&self, made: Made, oldest: u32) -> Option<Value> {
        let whole = made.region == Region::new(0);
        let here = whole || self.open.iter().any(|(region, _)| *region == made.region);
        made.value.filter(|_| here && made.step >= oldest)
    }

    fn made_now(&self, value: Value) -> Made {
        Made {
            value: Some(value),
            step: self.clock,
            region: self.region(),
        }
    }

    fn remember(&mut self, limb: Limb, value: Value) {
        self.made[limb] = self.made_now(value);
    }

    /// The limb as it is kept.
    fn value(&mut self, scope: &mut Scope, limb: Limb) -> Value {
        let made = self.made[limb];
        let oldest = match self.code.ops[limb] {
            Op::Const(value) => return scope.constant(value, self.code.is_bool(limb)),
            _ if self.code.is_remade(limb) => {
                let recent = self.clock.saturating_sub(REMADE_LIFE);
                self.chunk_start.max(recent)
            }
            _ => self.chunk_start,
        };
        if let Some(value) = self.usable(made, oldest) {
            return value;
        }
        let value = match (self.code.ops[limb], self.schedule.scratch[limb]) {
            (Op::Load { offset, bytes, .. }, _) => {
                let truth = self.code.is_bool(limb);
                scope.load(scope.arena, offset, bytes, truth)
            }
            (_, Some(offset)) => {
                let truth = self.code.is_bool(limb);
                scope.load(scope.arena, offset, if truth { 1 } else { 8 }, truth)
            }
            _ if self.code.is_remade(limb) => self.compute(scope, limb),
            _ => unreachable!("a value of another chunk has a scratch place"),
        };
        self.remember(limb, value);
        value
    }

    /// The limb as `i64`.
    fn wide(&mut self, scope: &mut Scope, limb: Limb) -> Value {
        if let Op::Const(value) = self.code.ops[limb] {
            return scope.constant(value, false);
        }
        let value = self.value(scope, limb);
        if !self.code.is_bool(limb) {
            return value;
        }
        if let Some(wide) = self.usable(self.widened[limb], self.made[limb].step) {
            return wide;
        }
        let wide = scope.builder.ins().uextend(types::I64, value);
        self.widened[limb] = self.made_now(wide);
        wide
    }

    fn store(&mut self, scope: &mut Scope, store: &Store) {
        let address = match store.at {
            None => scope.arena,
            Some(at) => {
                let at = self.wide(scope, at);
                scope.builder.ins().iadd(scope.arena, at)
            }
        };
        let offset = store.offset as i32;
        if store.bytes == 1 {
            let value = self.value(scope, store.value);
            if self.code.is_bool(store.value) {
                scope.builder.ins().store(flags(), value, address, offset);
            } else {
                scope.builder.ins().istore8(flags(), value, address, offset);
            }
            return;
        }
        let value = self.wide(scope, store.value);
        let ins = scope.builder.ins();
        match store.bytes {
            2 => ins.istore16(flags(), value, address, offset),
            4 => ins.istore32(flags(), value, address, offset),
            _ => ins.store(flags(), value, address, offset),
        };
    }

    fn compute(&mut self, scope: &mut Scope, limb: Limb) -> Value {
        let truth = self.code.is_bool(limb);
        match self.code.ops[limb] {
            Op::Const(_) | Op::Load { .. } => self.value(scope, limb),
            Op::LoadAt {
                at, offset, bytes, ..
            } => {
                let at = self.wide(scope, at);
                let address = scope.builder.ins().iadd(scope.arena, at);
                scope.load(address, offset, bytes, truth)
            }
            Op::And(a, b) => self.and(scope, limb, a, b),
            Op::Or(a, b) => {
                let (a, b) = self.pair(scope, a, b);
                let value = scope.builder.ins().bor(a, b);
                scope.kept(value, truth)
            }
            Op::Xor(a, b) => {
                let (a, b) = self.pair(scope, a, b);
                let value = scope.builder.ins().bxor(a, b);
                scope.kept(value, truth)
            }
            Op::Select(condition, yes, no) => {
                let condition = self.value(scope, condition);
                let (yes, no) = self.pair(scope, yes, no);
                let value = scope.builder.ins().select(condition, yes, no);
                scope.kept(value, truth)
            }
            Op::Add(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().iadd(a, b)),
            Op::Sub(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().isub(a, b)),
            Op::Mul(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().imul(a, b)),
            Op::MulHigh(a, b) => {
                self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().umulhi(a, b))
            }
            Op::Shl(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().ishl(a, b)),
            Op::Shr(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().ushr(a, b)),
            Op::Sar(a, b) => self.wide_op(scope, limb, a, b, |ins, a, b| ins.ins().sshr(a, b)),
            Op::Eq(a, b) => self.compare(scope, IntCC::Equal, a, b),
            Op::Ne(a, b) => self.compare(scope, IntCC::NotEqual, a, b),
            Op::Ult(a, b) => self.compare(scope, IntCC::UnsignedLessThan, a, b),
            Op::Ule(a, b) => self.compare(scope, IntCC::UnsignedLessThanOrEqual, a, b),
            Op::Slt(a, b) => self.wide_compare(scope, IntCC::SignedLessThan, a, b),
            Op::Sle(a, b) => self.wide_compare(scope, IntCC::SignedLessThanOrEqual, a, b),
            Op::Count(a) => {
                let a = self.wide(scope, a);
                scope.builder.ins().popcnt(a)
            }
        }
    }

    /// Both truth values, or both wide.
    fn pair(&mut self, scope: &mut Scope, a: Limb, b: Limb) -> (Value, Value) {
        if self.code.is_bool(a) && self.code.is_bool(b) {
            (self.value(scope, a), self.value(scope, b))
        } else {
            (self.wide(scope, a), self.wide(scope, b))
        }
    }

    /// A mask of whole bytes is a move with zero extension.
    fn and(&mut self, scope: &mut Scope, limb: Limb, a: Limb, b: Limb) -> Value {
        let narrow = match self.code.as_const(b) {
            Some(0xff) => Some(types::I8),
            Some(0xffff) => Some(types::I16),
            Some(0xffff_ffff) => Some(types::I32),
            _ => None,
        };
        if let Some(narrow) = narrow {
            let a = self.wide(scope, a);
            let low = scope.builder.ins().ireduce(narrow, a);
            return scope.builder.ins().uextend(types::I64, low);
        }
        let (a, b) = self.pair(scope, a, b);
        let value = scope.builder.ins().band(a, b);
        scope.kept(value, self.code.is_bool(limb))
    }

    fn wide_op(
        &mut self,
        scope: &mut Scope,
        limb: Limb,
        a: Limb,
        b: Limb,
        make: impl Fn(&mut FunctionBuilder, Value, Value) -> Value,
    ) -> Value {
        let (a, b) = (self.wide(scope, a), self.wide(scope, b));
        let value = make(scope.builder, a, b);
        scope.kept(value, self.code.is_bool(limb))
    }

    fn compare(&mut self, scope: &mut Scope, condition: IntCC, a: Limb, b: Limb) -> Value {
        let (a, b) = self.pair(scope, a, b);
        scope.builder.ins().icmp(condition, a, b)
    }

    fn wide_compare(&mut self, scope: &mut Scope, condition: IntCC, a: Limb, b: Limb) -> Value {
        let (a, b) = (self.wide(scope, a), self.wide(scope, b));
        scope.builder.ins().icmp(condition, a, b)
    }
}

impl Scope<'_, '_> {
    fn constant(&mut self, value: u64, truth: bool) -> Value {
        let kind = if truth { types::I8 } else { types::I64 };
        self.builder.ins().iconst(kind, value as i64)
    }

    fn load(&mut self, address: Value, offset: u32, bytes: u8, truth: bool) -> Value {
        let offset = offset as i32;
        let ins = self.builder.ins();
        match (bytes, truth) {
            (1, false) => ins.uload8(types::I64, flags(), address, offset),
            (2, false) => ins.uload16(types::I64, flags(), address, offset),
            (4, false) => ins.uload32(flags(), address, offset),
            (_, false) => ins.load(types::I64, flags(), address, offset),
            // Little endian: the first byte has the bit.
            (_, true) => ins.load(types::I8, flags(), address, offset),
        }
    }

    fn store(&mut self, offset: u32, value: Value) {
        self.builder
            .ins()
            .store(flags(), value, self.arena, offset as i32);
    }

    /// A truth value is kept as `i8`, whatever it was computed as.
    fn kept(&mut self, value: Value, truth: bool) -> Value {
        let wide = self.builder.func.dfg.value_type(value) == types::I64;
        match truth && wide {
            true => self.builder.ins().ireduce(types::I8, value),
            false => value,
        }
    }
}
