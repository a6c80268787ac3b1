//! From the program IR to operations of the core.
//!
//! Values stay pieces of registers ([`pieces`]) and conditions stay tests ([`bools`]) until an operation needs them, so that what
//! cuts, joins, swaps and compares becomes part of what uses it.

mod apart;
mod arithmetic;
mod bools;
mod ending;
mod maps;
mod memory;
mod pieces;
mod whole;

use super::code::{Code, Label, Op, Pred, Reg, Step};
use super::savings::{Saving, Without};
use super::uses::{uses, ways};
use crate::isa::{Action, Field, Guard, Operand, Operation};
pub use arithmetic::commutes;
pub use bools::opposite;
use bools::Bool;
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::graph::Graph;
use hardpath_ir::{
    Block, Input, Inst, InstData, Op as IrOp, PlaceId, Program, Target, Terminator, Value,
};
use pieces::{Piece, Pieces};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

type Made = HashMap<Pieces, Reg>;
type Guards = HashMap<*const Bool, (Guard<Pred>, Rc<Bool>)>;

/// What a program becomes, and what of it does not.
pub struct Select<'a> {
    program: &'a Program,
    /// What is left out.
    without: Without,
    /// Results that have an operation of their own, although they are only pieces of others.
    apart: HashSet<Value>,
    code: Code,
    labels: SecondaryMap<Block, Option<Label>>,
    pieces: SecondaryMap<Value, Option<Pieces>>,
    bools: HashMap<Value, Rc<Bool>>,
    /// The registers that inputs were put into.
    inputs: Vec<(Input, Reg)>,
    /// How registers were made that operations made.
    computed: HashMap<Reg, whole::Computed>,
    /// How often values are used.
    uses: SecondaryMap<Value, u32>,
    /// How many ways lead to blocks.
    ways: SecondaryMap<Block, u32>,
    /// The block that is being made.
    here: Label,
    origin: Option<PlaceId>,
    /// What this block, and those on every way to it, have put together.
    made: Made,
    /// The predicates that they have made.
    guards: Guards,
    /// The same where control first leaves this block.
    left: Option<(Made, Guards)>,
    /// The same of each block that is done, by its place in the order.
    known: Vec<(Made, Guards)>,
    errors: Vec<Diagnostic>,
}

/// A program without functions, in the structured or the control-flow phase, as operations.
///
/// # Errors
/// What the core does not do, each with its place.
pub fn select(program: &Program, without: Without) -> Result<Code, Vec<Diagnostic>> {
    let mut code = Code::default();
    let mut labels = SecondaryMap::new();
    for &block in &program.order {
        let label = code.blocks.push(Vec::new());
        code.order.push(label);
        labels[block] = Some(label);
    }
    let here = code.order[0];
    let mut select = Select {
        program,
        without,
        apart: match without.contains(Saving::Fields) {
            true => apart::apart(program),
            false => HashSet::new(),
        },
        code,
        labels,
        pieces: SecondaryMap::new(),
        bools: HashMap::new(),
        inputs: Vec::new(),
        computed: HashMap::new(),
        uses: uses(program),
        ways: ways(program),
        here,
        origin: None,
        made: HashMap::new(),
        guards: HashMap::new(),
        left: None,
        known: Vec::new(),
        errors: Vec::new(),
    };
    select.parameters();
    let graph = Graph::new(program, &program.order);
    let dominators = graph.dominators();
    for (node, &block) in program.order.iter().enumerate() {
        let above = dominators.immediate(node).filter(|above| *above < node);
        select.inherit(above);
        select.block(block);
        let left = select.left.take();
        select.known.push(left.unwrap_or_default());
    }
    match select.errors.is_empty() {
        true => Ok(select.code),
        false => Err(select.errors),
    }
}

impl Select<'_> {
    /// A register for each word of each parameter.
    fn parameters(&mut self) {
        let program = self.program;
        for &block in &program.order {
            for &param in &program.blocks[block].params {
                let pieces = self.fresh(program.width(param));
                self.pieces[param] = Some(pieces);
            }
        }
    }

    /// New registers for so many bits.
    fn fresh(&mut self, mut bits: u32) -> Pieces {
        let mut all = Vec::new();
        while bits > 0 {
            let width = bits.min(64);
            all.push(Piece::of(self.code.reg(), width as u8));
            bits -= width;
        }
        all
    }

    fn block(&mut self, block: Block) {
        let program = self.program;
        self.here = self.labels[block].expect("it is in the order");
        let data = &program.blocks[block];
        for &inst in &data.insts {
            self.origin = program.insts[inst].place.or(data.place);
            self.inst(inst);
        }
        match &data.terminator {
            Terminator::Jump(target) => self.jump(target),
            Terminator::Branch { cond, yes, no } => {
                let cond = self.bool(*cond);
                self.branch(&cond, yes, no);
            }
            Terminator::Emit(emit) => self.ending(emit),
            Terminator::Return(_) | Terminator::None => {
                unreachable!("functions are in place of their calls")
            }
        }
    }

    /// Begins with what the block has made that stands on every way here.
    fn inherit(&mut self, above: Option<usize>) {
        let above = above.filter(|_| self.without.keeps(Saving::Reuse));
        let (made, guards) = above
            .map(|above| self.known[above].clone())
            .unwrap_or_default();
        self.made = made;
        self.guards = guards;
    }

    fn emit_op(&mut self, op: Op) {
        let step = Step::new(op, self.origin);
        self.code.blocks[self.here].push(step);
    }

    fn refuse(&mut self, inst: &InstData, what: &str) {
        let diagnostic =
            Diagnostic::refused("wide-arithmetic", format!("the core does not {what}"))
                .help("values of more than 64 bits can be copied, compared, cut and added there");
        self.refuse_with(inst, diagnostic);
    }

    fn refuse_with(&mut self, inst: &InstData, diagnostic: Diagnostic) {
        self.errors.push(match inst.place {
            Some(place) => diagnostic.at(&self.program.places[place]),
            None => diagnostic,
        });
    }

    /// A value's pieces; of a condition a bit that is made here.
    fn value(&mut self, value: Value) -> Pieces {
        if let Some(pieces) = &self.pieces[value] {
            return pieces.clone();
        }
        let one = self.bools[&value].clone();
        vec![self.bit(&one)]
    }

    /// A value of one bit as a condition.
    fn bool(&mut self, value: Value) -> Rc<Bool> {
        if let Some(one) = self.bools.get(&value) {
            return one.clone();
        }
        let pieces = self.value(value);
        let one = self.is_one(&pieces);
        self.bools.insert(value, one.clone());
        one
    }

    /// A value of at most 64 bits as an operand.
    fn operand_of(&mut self, value: Value) -> Operand<Reg> {
        let pieces = self.value(value);
        self.operand(&pieces)
    }

    /// Pieces of at most 64 bits as an operand.
    fn operand(&mut self, pieces: &Pieces) -> Operand<Reg> {
        if let Some(number) = pieces::number(pieces) {
            return Operand::Number(number);
        }
        let above = pieces
            .iter()
            .rev()
            .take_while(|piece| piece.is_zero())
            .count();
        let pieces = &pieces[..pieces.len() - above];
        if let [Piece::Field(field)] = pieces {
            return Operand::Field(*field);
        }
        let reuses = self.without.keeps(Saving::Reuse);
        let reg = match self.made.get(pieces) {
            Some(reg) if reuses => *reg,
            _ => {
                let whole = match self.without.keeps(Saving::Fields) {
                    true => self.made_whole(pieces),
                    false => None,
                };
                let reg = whole.unwrap_or_else(|| self.joined(pieces));
                self.made.insert(pieces.to_vec(), reg);
                reg
            }
        };
        Operand::Field(Field {
            width: pieces::width(pieces) as u8,
            ..Field::whole(reg)
        })
    }

    /// A register with these pieces, by as few operations as there are.
    fn joined(&mut self, pieces: &[Piece]) -> Reg {
        let mut at = 0;
        let mut placed = Vec::new();
        for piece in pieces {
            if !piece.is_zero() {
                placed.push((at, *piece));
            }
            at += piece.width();
        }
        match self.around(&placed) {
            Some((around, inner)) if placed.len() == pieces.len() => {
                let (first, last) = (&placed[inner.start], &placed[inner.end - 1]);
                let (lo, end) = (first.0, last.0 + last.1.width());
                let a = self.part(&placed[inner], lo);
                self.insert(a, Operand::Field(around), lo, end - lo)
            }
            _ => self.put_together(&placed, 0),
        }
    }

    /// The first and the last piece as ends of one field, with what stands between them.
    fn around(&self, placed: &[(u8, Piece)]) -> Option<(Field<Reg>, Range<usize>)> {
        let [(0, Piece::Field(low)), .., (at, Piece::Field(high))] = placed else {
            return None;
        };
        let is_one = low.reg == high.reg && !low.swapped && !high.swapped;
        if placed.len() < 3 || !is_one || low.lo + at != high.lo {
            return None;
        }
        let width = at + high.width;
        Some((Field { width, ..*low }, 1..placed.len() - 1))
    }

    /// A register with these pieces at their places, less `base`; the halves are made beside each other.
    fn put_together(&mut self, placed: &[(u8, Piece)], base: u8) -> Reg {
        let half = placed.len().div_ceil(2);
        let is_shifted = placed[0].0 > base;
        let (low, high) = match (placed, is_shifted) {
            ([one], _) => (Operand::Number(0), std::slice::from_ref(one)),
            (_, true) => {
                let inner = self.put_together(placed, placed[0].0);
                let width = 64 - placed[0].0;
                let a = Operand::Field(Field {
                    width,
                    ..Field::whole(inner)
                });
                return self.insert(a, Operand::Number(0), placed[0].0 - base, width);
            }
            _ => (self.part(&placed[..half], base), &placed[half..]),
        };
        let lo = high[0].0 - base;
        let end = high.last().map_or(0, |(at, piece)| at + piece.width()) - base;
        let a = self.part(high, high[0].0);
        self.insert(a, low, lo, end - lo)
    }

    fn part(&mut self, placed: &[(u8, Piece)], base: u8) -> Operand<Reg> {
        match placed {
            [(at, Piece::Field(field))] if *at == base => Operand::Field(*field),
            [(at, Piece::Number(number, _))] => Operand::Number(number << (at - base)),
            _ => Operand::Field(Field::whole(self.put_together(placed, base))),
        }
    }

    fn insert(&mut self, a: Operand<Reg>, into: Operand<Reg>, lo: u8, width: u8) -> Reg {
        let to = self.code.reg();
        self.emit(Action::Insert {
            a,
            into,
            lo,
            width,
            to,
        });
        to
    }

    /// Pieces of at most 64 bits as a number with a sign.
    fn signed_operand(&mut self, pieces: &Pieces) -> Operand<Reg> {
        let bits = pieces::width(pieces);
        if let Some(number) = pieces::number(pieces) {
            return Operand::Number(((number << (64 - bits)) as i64 >> (64 - bits)) as u64);
        }
        let operand = self.operand(pieces);
        match operand {
            // What is shorter has zeros above it, and so no sign.
            Operand::Field(field) if u32::from(field.width) == bits => Operand::Field(Field {
                signed: bits < 64,
                ..field
            }),
            other => other,
        }
    }

    /// Word number `index` of a value, of which the last may be shorter.
    fn word(&mut self, pieces: &Pieces, index: u32) -> Operand<Reg> {
        let bits = pieces::width(pieces) - index * 64;
        let word = pieces::slice(pieces, index * 64, bits.min(64));
        self.operand(&word)
    }

    fn jump(&mut self, target: &Target) {
        let moves = self.moves(target);
        self.go(None, None, target, moves);
    }

    fn go(
        &mut self,
        guard: Option<Guard<Pred>>,
        when: Option<crate::isa::Test<Reg>>,
        target: &Target,
        moves: Vec<(Reg, Operand<Reg>)>,
    ) {
        if self.left.is_none() {
            self.left = Some((self.made.clone(), self.guards.clone()));
        }
        let to = self.labels[target.block].expect("it is in the order");
        let action = Action::Branch { when, to };
        let op = Operation { guard, action };
        self.code.blocks[self.here].push(Step {
            op,
            moves,
            origin: self.origin,
        });
    }

    /// What the parameters of a target become.
    fn moves(&mut self, target: &Target) -> Vec<(Reg, Operand<Reg>)> {
        let params = &self.program.blocks[target.block].params;
        let mut moves = Vec::new();
        for (&param, &arg) in std::iter::zip(params, &target.args) {
            let to = self.pieces[param]
                .clone()
                .expect("parameters have registers");
            let from = self.value(arg);
            for (index, piece) in (0..).zip(to) {
                let Piece::Field(field) = piece else {
                    unreachable!("a parameter is a register")
                };
                let operand = self.word(&from, index);
                let stays = matches!(operand, Operand::Field(from) if from == field);
                if !stays {
                    moves.push((field.reg, operand));
                }
            }
        }
        moves
    }

    fn branch(&mut self, cond: &Rc<Bool>, yes: &Target, no: &Target) {
        // Made first: they are the same for all branches to one side.
        let (to_yes, to_no) = (self.moves(yes), self.moves(no));
        self.branch_to(cond, (yes, &to_yes), (no, &to_no));
    }

    fn branch_to(&mut self, cond: &Rc<Bool>, yes: Side, no: Side) {
        match &**cond {
            Bool::Known(true) => self.go(None, None, yes.0, yes.1.clone()),
            Bool::Known(false) => self.go(None, None, no.0, no.1.clone()),
            Bool::Not(inner) => self.branch_to(inner, no, yes),
            Bool::Or(a, b) if self.continues(yes.0, no.0) => {
                let neither = Bool::And(bools::not(a), bools::not(b));
                self.branch_to(&Rc::new(neither), no, yes);
            }
            Bool::Or(a, b) => {
                self.leave_when(a, yes);
                self.branch_to(b, yes, no);
            }
            Bool::And(a, b) if !self.continues(no.0, yes.0) => {
                self.leave_when(&bools::not(a), no);
                self.branch_to(b, yes, no);
            }
            _ => {
                self.leave_when(cond, yes);
                self.go(None, None, no.0, no.1.clone());
            }
        }
    }

    /// A block becomes part of this one when a single branch leads there: nothing else does, and the other way ends.
    fn continues(&self, block: &Target, other: &Target) -> bool {
        let ends = matches!(
            self.program.blocks[other.block].terminator,
            Terminator::Emit(_)
        );
        ends && self.ways[block.block] == 1
            && self.without.keeps(Saving::Traces)
            && self.without.keeps(Saving::Tests)
    }

    /// Goes there when the condition holds; else on.
    fn leave_when(&mut self, cond: &Rc<Bool>, side: Side) {
        match &**cond {
            Bool::Known(false) => {}
            Bool::Test(test) if self.without.keeps(Saving::Tests) => {
                self.go(None, Some(*test), side.0, side.1.clone());
            }
            Bool::Or(a, b) => {
                self.leave_when(a, side);
                self.leave_when(b, side);
            }
            Bool::And(a, b)
                if self.without.keeps(Saving::Tests)
                    && (matches!(**a, Bool::Test(_)) || matches!(**b, Bool::Test(_))) =>
            {
                let (test, rest) = match (&**a, &**b) {
                    (_, Bool::Test(test)) => (*test, a),
                    (Bool::Test(test), _) => (*test, b),
                    _ => unreachable!("one of them is a test"),
                };
                let guard = self.guard(rest);
                self.go(Some(guard), Some(test), side.0, side.1.clone());
            }
            _ => {
                let guard = self.guard(cond);
                self.go(Some(guard), None, side.0, side.1.clone());
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        let program = self.program;
        let data = &program.insts[inst];
        match &data.op {
            IrOp::Const(bits) => {
                let limbs = bits.limbs();
                let mut all = Vec::new();
                let mut left = bits.width();
                for &limb in limbs {
                    all.push(Piece::Number(limb, left.min(64) as u8));
                    left -= left.min(64);
                }
                self.define(data.results[0], all);
            }
            IrOp::Input(Input::Sum) => {
                let message = "the core has no sum of all of a packet";
                let help = "a checksum from the packet's first byte to its last gives it, folded";
                self.refuse_with(data, Diagnostic::refused("core-input", message).help(help));
                self.define(data.results[0], pieces::zeros(Input::Sum.width()));
            }
            IrOp::Input(input) => {
                let (input, to) = (*input, self.code.reg());
                self.emit(Action::Input { input, to });
                self.inputs.push((input, to));
                let width = program.width(data.results[0]) as u8;
                self.define(data.results[0], vec![Piece::of(to, width)]);
            }
            op if op.is_pure() => self.pure(data),
            IrOp::MapLookup(_)
            | IrOp::MapLoad(_)
            | IrOp::MapStore(_)
            | IrOp::MapAtomic(..)
            | IrOp::MapUpdate(_)
            | IrOp::MapDelete(_) => self.map_operation(data),
            IrOp::Call(_) => unreachable!("functions are in place of their calls"),
            _ => self.memory_operation(data),
        }
    }

    fn define(&mut self, value: Value, pieces: Pieces) {
        debug_assert_eq!(pieces::width(&pieces), self.program.width(value));
        self.pieces[value] = Some(pieces);
    }
}

/// A target with what its parameters become.
type Side<'a> = (&'a Target, &'a Vec<(Reg, Operand<Reg>)>);
