//! One walk over a program that rewrites it: the tool that most passes are made with.
//!
//! A [`Rewriter`] goes through blocks and instructions in order. By the time an instruction is reached its arguments
//! already have their final form. [`Rewriter::build`] gives a value for an operation: a simpler one when the local
//! rules of [`crate::fold`] know it, an equal one that already dominates this place, or else a new instruction
//! here. So whatever a pass builds is folded and shared from the beginning, and a pass can build carelessly.
//!
//! Along the way the walk follows only branches that can be taken (a constant condition is followed to one side) and
//! replaces a block parameter that gets the same value on every way in. The instructions that nobody uses any more
//! stay: [`crate::dce`] takes them away.
//!
//! What a loop's head is given on the ways back has not got its final form yet when the walk comes to the head. So a parameter
//! of a head goes only where each way back gives what came in, or the parameter itself.

use crate::fold;
use crate::loops::{change_orders, settle_bounds};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::SecondaryMap;
use hardpath_ir::eval::eval_pure;
use hardpath_ir::graph::{Dominators, Graph};
use hardpath_ir::{Bits, Block, Inst, Op, PlaceId, Program, Target, Terminator, Value, ValueDef};
use std::collections::HashMap;

/// What a pass does at each step of the walk.
pub trait Visitor {
    /// Before everything else in a block: may change the block's parameters, to fit what `leave_block` has given the
    /// predecessors' jumps.
    fn change_params(&mut self, _rewriter: &mut Rewriter, _block: Block) {}

    /// Before a block's first instruction; its parameters have their final form.
    fn enter_block(&mut self, _rewriter: &mut Rewriter, _block: Block) {}

    /// At each instruction; its arguments and guard have their final form. `true`: the visitor has dealt with it
    /// (kept it with [`Rewriter::keep`] or given [`Rewriter::replace`] for each result).
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool;

    /// After a block's last instruction; the terminator's uses have their final form.
    fn leave_block(&mut self, _rewriter: &mut Rewriter, _block: Block) {}
}

/// How the walk builds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Fold everything that is built or met.
    Fold,
    /// Only share equal values.
    ShareOnly,
}

type Key = (Op, Vec<Value>, u32);

/// Rules nest (a slice of a select of an add …); deeper than this the rest waits for the next walk.
const MAX_DEPTH: u32 = 48;

pub struct Rewriter<'p> {
    pub program: &'p mut Program,
    rules: Rules,
    graph: Graph,
    dominators: Dominators,
    /// What a value of the old program has become.
    replaced: SecondaryMap<Value, PackedOption<Value>>,
    /// Values by what makes them, with the block in which they were asked for.
    known: HashMap<Key, Vec<(Block, Value)>>,
    uses: SecondaryMap<Value, u32>,
    block: Block,
    insts: Vec<Inst>,
    place: Option<PlaceId>,
    depth: u32,
    changed: bool,
}

/// Walks a program and its functions with a visitor; gives whether anything changed.
pub fn rewrite(program: &mut Program, rules: Rules, visitor: &mut dyn Visitor) -> bool {
    let mut changed = false;
    let uses = program.use_counts();
    change_orders(program, |program, order| {
        let Some(&entry) = order.first() else {
            return order;
        };
        let graph = Graph::new(program, &order);
        let mut rewriter = Rewriter {
            rules,
            dominators: graph.dominators(),
            graph,
            replaced: SecondaryMap::new(),
            known: HashMap::new(),
            uses: uses.clone(),
            block: entry,
            insts: Vec::new(),
            place: None,
            depth: 0,
            changed: false,
            program,
        };
        let reached = rewriter.walk(order, visitor);
        changed |= rewriter.changed;
        settle_bounds(program, &reached);
        reached
    });
    changed
}

impl Rewriter<'_> {
    /// Goes through blocks in order; gives those that control can come to.
    fn walk(&mut self, order: Vec<Block>, visitor: &mut dyn Visitor) -> Vec<Block> {
        let mut incoming: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let ways_back = self.ways_back(&order);
        let mut reached = Vec::with_capacity(order.len());
        for (index, &block) in order.iter().enumerate() {
            if index > 0 && incoming[block].is_empty() {
                self.changed = true;
                continue;
            }
            reached.push(block);
            self.block = block;
            self.place = self.program.blocks[block].place;
            visitor.change_params(self, block);
            incoming[block].extend(&ways_back[block]);
            self.replace_uniform_params(block, &incoming[block]);
            visitor.enter_block(self, block);
            for inst in std::mem::take(&mut self.program.blocks[block].insts) {
                self.place = self.program.insts[inst].place;
                self.resolve_inst(inst);
                if !visitor.visit(self, inst) {
                    self.visit_default(inst);
                }
            }
            let mut terminator =
                std::mem::replace(&mut self.program.blocks[block].terminator, Terminator::None);
            for value in terminator.uses_mut() {
                *value = self.resolve(*value);
            }
            self.program.blocks[block].terminator = terminator;
            visitor.leave_block(self, block);
            self.fold_terminator(block);
            self.program.blocks[block].insts = std::mem::take(&mut self.insts);
            for target in self.program.blocks[block].terminator.targets() {
                if incoming[target.block].last() != Some(&block) {
                    incoming[target.block].push(block);
                }
            }
        }
        reached
    }

    /// From where control goes back to each block.
    fn ways_back(&self, order: &[Block]) -> SecondaryMap<Block, Vec<Block>> {
        let mut ways_back: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for (from, targets) in self.graph.successors.iter().enumerate() {
            for to in targets.iter().filter(|to| **to <= from) {
                let ways = &mut ways_back[order[*to]];
                if ways.last() != Some(&order[from]) {
                    ways.push(order[from]);
                }
            }
        }
        ways_back
    }

    /// The value for `op` over `args`: a known one, a simpler one, or that of a new instruction at this place.
    pub fn build(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        let key = self.key(op, args, width);
        if let Some(value) = self.find(&key) {
            return value;
        }
        let value = match self.simplify(&key) {
            Some(value) => value,
            None => self.emit(key.0.clone(), key.1.clone(), width),
        };
        self.remember(key, value);
        value
    }

    /// As [`Rewriter::build`], without the rules: for rules that have made the final form themselves.
    pub fn build_plain(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        let key = self.key(op, args, width);
        if let Some(value) = self.find(&key) {
            return value;
        }
        let value = self.emit(key.0.clone(), key.1.clone(), width);
        self.remember(key, value);
        value
    }

    pub fn constant(&mut self, bits: Bits) -> Value {
        let width = bits.width();
        self.build_plain(Op::Const(bits), Vec::new(), width)
    }

    pub fn constant_u64(&mut self, value: u64, width: u32) -> Value {
        self.constant(Bits::from_u64(value, width))
    }

    /// Extends with zeros or cuts off at the top.
    pub fn resize(&mut self, value: Value, width: u32) -> Value {
        let from = self.program.width(value);
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.build(Op::ZExt, vec![value], width),
            std::cmp::Ordering::Greater => self.slice(value, 0, width),
        }
    }

    pub fn slice(&mut self, value: Value, lo: u32, width: u32) -> Value {
        if lo == 0 && width == self.program.width(value) {
            return value;
        }
        self.build(Op::Slice { lo }, vec![value], width)
    }

    pub fn not(&mut self, value: Value) -> Value {
        let width = self.program.width(value);
        self.build(Op::Not, vec![value], width)
    }

    /// An operation whose result has the width of its last argument.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let width = self.program.width(b);
        self.build(op, vec![a, b], width)
    }

    pub fn compare(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.build(op, vec![a, b], 1)
    }

    pub fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let width = self.program.width(yes);
        self.build(Op::Select, vec![condition, yes, no], width)
    }

    /// Says that `old` has become `new`, which must have the same width and dominate this place.
    pub fn replace(&mut self, old: Value, new: Value) {
        debug_assert_eq!(self.program.width(old), self.program.width(new));
        if old == new {
            return;
        }
        self.changed = true;
        self.use_as(new, self.uses[old]);
        self.replaced[old] = new.into();
        let is_instruction = self
            .program
            .def_inst(new)
            .is_some_and(|inst| !matches!(inst.op, Op::Const(_)));
        if is_instruction {
            if let Some(name) = self.program.values[old].name.clone() {
                self.program.name_value(new, &name);
            }
        }
    }

    /// Counts so many more uses of a value, and of what it extends with zeros: who cuts it sees through that.
    fn use_as(&mut self, value: Value, uses: u32) {
        self.uses[value] += uses;
        if let Some(Op::ZExt) = self.op(value) {
            self.use_as(self.args(value)[0], uses);
        }
    }

    /// Keeps an instruction at this place.
    pub fn keep(&mut self, inst: Inst) {
        let data = &self.program.insts[inst];
        if data.op.is_pure() {
            let width = self.program.width(data.results[0]);
            let key = self.key(data.op.clone(), data.args.clone(), width);
            self.remember(key, data.results[0]);
        }
        self.insts.push(inst);
    }

    /// Says that the walk changed something that is not the replacement of a value.
    pub fn mark_changed(&mut self) {
        self.changed = true;
    }

    /// The block that the walk is in.
    pub fn block(&self) -> Block {
        self.block
    }

    pub fn dominates(&self, above: Block, below: Block) -> bool {
        match (self.graph.node(above), self.graph.node(below)) {
            (Some(above), Some(below)) => self.dominators.dominates(above, below),
            _ => above == below,
        }
    }

    /// What a value has become.
    pub fn resolve(&self, value: Value) -> Value {
        let mut value = value;
        while let Some(next) = self.replaced[value].expand() {
            value = next;
        }
        value
    }

    /// Whether the value has at most one use (counted before the walk, plus what the walk has built).
    pub fn is_used_once(&self, value: Value) -> bool {
        self.uses[value] <= 1
    }

    pub fn op(&self, value: Value) -> Option<&Op> {
        self.program.def_inst(value).map(|inst| &inst.op)
    }

    pub fn args(&self, value: Value) -> &[Value] {
        self.program.def_inst(value).map_or(&[], |inst| &inst.args)
    }

    /// The arguments of the pure instruction that makes `value` when its operation is `op`.
    pub fn match_op(&self, value: Value, op: &Op) -> Option<Vec<Value>> {
        let inst = self.program.def_inst(value)?;
        (inst.op == *op).then(|| inst.args.clone())
    }

    pub fn as_const(&self, value: Value) -> Option<&Bits> {
        self.program.as_const(value)
    }

    pub fn width(&self, value: Value) -> u32 {
        self.program.width(value)
    }

    /// The default step for an instruction: fold or share it when it is pure; drop an effect that never happens.
    pub fn visit_default(&mut self, inst: Inst) {
        let data = &self.program.insts[inst];
        if !data.op.is_pure() {
            if let Some(guard) = data.guard {
                if let Some(bits) = self.as_const(guard) {
                    let never = bits.is_zero();
                    self.changed = true;
                    self.program.insts[inst].guard = None;
                    if never {
                        for result in self.program.insts[inst].results.clone() {
                            let zero = self.constant(Bits::zero(self.width(result)));
                            self.replace(result, zero);
                        }
                        return;
                    }
                }
            }
            self.keep(inst);
            return;
        }
        let result = data.results[0];
        let key = self.key(
            data.op.clone(),
            data.args.clone(),
            self.program.width(result),
        );
        if let Some(value) = self.find(&key) {
            self.replace(result, value);
        } else if let Some(value) = self.simplify(&key) {
            self.remember(key, value);
            self.replace(result, value);
        } else {
            self.program.insts[inst].args = key.1.clone();
            self.remember(key, result);
            self.insts.push(inst);
        }
    }

    fn simplify(&mut self, key: &Key) -> Option<Value> {
        if self.rules == Rules::ShareOnly || self.depth >= MAX_DEPTH {
            return None;
        }
        let (op, args, width) = key;
        if !args.is_empty() {
            let constants: Option<Vec<Bits>> = args
                .iter()
                .map(|&arg| self.as_const(arg).cloned())
                .collect();
            if let Some(bits) = constants.and_then(|args| eval_pure(op, &args, *width)) {
                return Some(self.constant(bits));
            }
        }
        self.depth += 1;
        let value = fold::simplify(self, op, args, *width);
        self.depth -= 1;
        value
    }

    /// Arguments of operations whose order does not matter are sorted, constants last.
    fn key(&self, op: Op, mut args: Vec<Value>, width: u32) -> Key {
        let commutes = matches!(
            op,
            Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq | Op::Ne
        );
        if commutes {
            args.sort_by_key(|&arg| (self.as_const(arg).is_some(), arg));
        }
        (op, args, width)
    }

    fn find(&self, key: &Key) -> Option<Value> {
        let found = self.known.get(key)?;
        found
            .iter()
            .rev()
            .find(|(block, _)| self.dominates(*block, self.block))
            .map(|&(_, value)| value)
    }

    /// The value of an operation that is made already, and that somebody uses.
    pub fn find_used(&self, op: Op, args: Vec<Value>, width: u32) -> Option<Value> {
        let key = self.key(op, args, width);
        let value = self.find(&key)?;
        let made_so = self
            .program
            .def_inst(value)
            .is_some_and(|inst| inst.op == key.0);
        (made_so && self.uses[value] > 0).then_some(value)
    }

    fn remember(&mut self, key: Key, value: Value) {
        self.known.entry(key).or_default().push((self.block, value));
    }

    fn emit(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        for &arg in &args {
            self.uses[arg] += 1;
        }
        let inst = self.program.make_inst(op, args, &[width], self.place);
        self.insts.push(inst);
        self.program.insts[inst].results[0]
    }

    fn resolve_inst(&mut self, inst: Inst) {
        for index in 0..self.program.insts[inst].args.len() {
            let arg = self.program.insts[inst].args[index];
            self.program.insts[inst].args[index] = self.resolve(arg);
        }
        if let Some(guard) = self.program.insts[inst].guard {
            self.program.insts[inst].guard = Some(self.resolve(guard));
        }
    }

    /// A parameter that gets one value from everywhere is that value.
    fn replace_uniform_params(&mut self, block: Block, incoming: &[Block]) {
        let params = self.program.blocks[block].params.clone();
        if params.is_empty() || incoming.is_empty() {
            return;
        }
        let mut uniform: Vec<Option<Value>> = Vec::with_capacity(params.len());
        for (index, &param) in params.iter().enumerate() {
            let args = incoming.iter().flat_map(|&from| {
                let targets = self.program.blocks[from].terminator.targets();
                let here = targets.into_iter().filter(|target| target.block == block);
                here.map(move |target| target.args[index])
            });
            let args = args.map(|arg| self.resolve(arg));
            let mut args = args.filter(|arg| *arg != param);
            let first = args.next();
            let same = first.filter(|&first| {
                args.all(|arg| {
                    arg == first
                        || (self.as_const(arg).is_some()
                            && self.as_const(arg) == self.as_const(first))
                })
            });
            uniform.push(same);
        }
        if uniform.iter().all(Option::is_none) {
            return;
        }
        for (&param, same) in params.iter().zip(&uniform) {
            if let Some(value) = *same {
                let value = match self.as_const(value).cloned() {
                    Some(bits) => self.constant(bits),
                    None => value,
                };
                self.replace(param, value);
            }
        }
        let keep: Vec<bool> = uniform.iter().map(Option::is_none).collect();
        retain_params(self.program, block, incoming, &keep);
    }

    fn fold_terminator(&mut self, block: Block) {
        let terminator = &self.program.blocks[block].terminator;
        let Terminator::Branch { cond, yes, no } = terminator else {
            return;
        };
        let jump = match self.as_const(*cond) {
            Some(bits) if bits.is_zero() => no.clone(),
            Some(_) => yes.clone(),
            None if yes == no => yes.clone(),
            None => {
                if let Some(args) = self.match_op(*cond, &Op::Not) {
                    let swapped = Terminator::Branch {
                        cond: args[0],
                        yes: no.clone(),
                        no: yes.clone(),
                    };
                    self.program.blocks[block].terminator = swapped;
                    self.changed = true;
                }
                return;
            }
        };
        self.changed = true;
        self.program.blocks[block].terminator = Terminator::Jump(jump);
    }
}

/// Removes the parameters of `block` for which `keep` is false, and their arguments in `incoming`.
pub fn retain_params(program: &mut Program, block: Block, incoming: &[Block], keep: &[bool]) {
    let retain = |values: &mut Vec<Value>| {
        let mut keep = keep.iter();
        values.retain(|_| *keep.next().unwrap_or(&true));
    };
    for &from in incoming {
        for target in targets_mut(&mut program.blocks[from].terminator) {
            if target.block == block {
                retain(&mut target.args);
            }
        }
    }
    retain(&mut program.blocks[block].params);
    for (index, param) in program.blocks[block].params.clone().into_iter().enumerate() {
        program.values[param].def = ValueDef::Param(block, index as u32);
    }
}

/// The targets of a terminator, to be changed in place.
pub fn targets_mut(terminator: &mut Terminator) -> Vec<&mut Target> {
    match terminator {
        Terminator::Jump(target) => vec![target],
        Terminator::Branch { yes, no, .. } => vec![yes, no],
        Terminator::Emit(_) | Terminator::Return(_) | Terminator::None => Vec::new(),
    }
}
