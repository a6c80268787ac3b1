//! A program on its way to rows: operations of the core on registers without limit, in blocks.
//!
//! A block is left at any of its branches and exits, and always at its last step. Registers have one definition each, but for those
//! that stand for the parameters of a block, which every way there sets.

use crate::isa::{Action, Operand, Operation};
use crate::rename::Names;
use cranelift_entity::{entity_impl, PrimaryMap};
use hardpath_ir::PlaceId;

/// A register before it has a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(u32);
entity_impl!(Reg, "t");

/// A predicate before it has a place. Number 0 is the constant one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pred(u32);
entity_impl!(Pred, "q");

/// Where control goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);
entity_impl!(Label, "label");

impl Pred {
    /// What is written to it vanishes.
    pub const ONE: Pred = Pred(0);
}

/// An operation on such registers.
pub type Op = Operation<Reg, Pred, Label>;

/// An operation in its block.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub op: Op,
    /// Of a branch: what the parameters there become.
    pub moves: Vec<(Reg, Operand<Reg>)>,
    /// Where in the source it came from.
    pub origin: Option<PlaceId>,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Its blocks by name.
    pub blocks: PrimaryMap<Label, Vec<Step>>,
    /// The entry first.
    pub order: Vec<Label>,
    regs: u32,
    preds: u32,
}

impl Code {
    /// A new register.
    pub fn reg(&mut self) -> Reg {
        self.regs += 1;
        Reg(self.regs - 1)
    }

    /// How many there are.
    pub fn regs(&self) -> usize {
        self.regs as usize
    }

    /// A new predicate.
    pub fn pred(&mut self) -> Pred {
        self.preds += 1;
        Pred(self.preds)
    }

    /// How many there are, the constant one among them.
    pub fn preds(&self) -> usize {
        self.preds as usize + 1
    }
}

/// What an operation reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Registers that it reads.
    pub reads: Vec<Reg>,
    /// Registers that it writes.
    pub writes: Vec<Reg>,
    /// Predicates that it reads.
    pub asks: Vec<Pred>,
    /// Predicates that it writes, and whether they may stay as they were.
    pub decides: Vec<(Pred, bool)>,
    /// Where it may go.
    pub goes: Option<Label>,
}

impl Names<Reg, Pred, Label> for Touched {
    type Reg = Reg;
    type Pred = Pred;
    type Place = Label;

    fn read(&mut self, reg: Reg) -> Reg {
        self.reads.push(reg);
        reg
    }

    fn write(&mut self, reg: Reg) -> Reg {
        self.writes.push(reg);
        reg
    }

    fn ask(&mut self, pred: Pred) -> Pred {
        if pred != Pred::ONE {
            self.asks.push(pred);
        }
        pred
    }

    fn decide(&mut self, pred: Pred, keeps: bool) -> Pred {
        if pred != Pred::ONE {
            self.decides.push((pred, keeps));
        }
        pred
    }

    fn place(&mut self, place: Label) -> Label {
        self.goes = Some(place);
        place
    }
}

/// Other names for registers alone: what one is called, where it is written (`true`) and where it is read.
pub struct Regs<F>(pub F);

impl<F: FnMut(Reg, bool) -> Reg> Names<Reg, Pred, Label> for Regs<F> {
    type Reg = Reg;
    type Pred = Pred;
    type Place = Label;

    fn read(&mut self, reg: Reg) -> Reg {
        (self.0)(reg, false)
    }

    fn write(&mut self, reg: Reg) -> Reg {
        (self.0)(reg, true)
    }

    fn ask(&mut self, pred: Pred) -> Pred {
        pred
    }

    fn decide(&mut self, pred: Pred, _: bool) -> Pred {
        pred
    }

    fn place(&mut self, place: Label) -> Label {
        place
    }
}

impl Step {
    /// Without moves.
    pub fn new(op: Op, origin: Option<PlaceId>) -> Step {
        Step {
            op,
            moves: Vec::new(),
            origin,
        }
    }

    /// What it touches, but for its moves.
    pub fn touched(&self) -> Touched {
        let mut touched = Touched::default();
        self.op.rename(&mut touched);
        touched
    }

    /// Control may leave its block here.
    pub fn leaves(&self) -> bool {
        let action = &self.op.action;
        matches!(
            action,
            Action::Branch { .. } | Action::Exit { .. } | Action::Indirect { .. }
        )
    }

    /// Control leaves its block here.
    pub fn always_leaves(&self) -> bool {
        let always = match self.op.action {
            Action::Branch { when, .. } | Action::Exit { when, .. } => when.is_none(),
            Action::Indirect { .. } => true,
            _ => false,
        };
        always && self.op.guard.is_none()
    }
}

/// The registers that an operand reads.
pub fn operand_reg(operand: &Operand<Reg>) -> Option<Reg> {
    match operand {
        Operand::Field(field) => Some(field.reg),
        Operand::Number(_) => None,
    }
}
