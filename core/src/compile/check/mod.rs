//! Whether rows compute what the code computes that they were made of.
//!
//! Scheduling moves operations over branches and each other, places are shared, jumps are left out. All of that is checked here at
//! once, by running both sides with names in place of numbers: [`Code`] step by step, the image row by row. What both compute of the
//! same in the same way has one name ([`values`]), so both sides agree where their names do.
//!
//! **One block.** Both sides begin where a block is entered. A register that the block needs has the same name there as its place, so
//! nothing is known but that the places hold what they should. The rows are followed to their first branch or exit, the code to its
//! first one. There both must ask the same and go to the same block, or end the packet in the same way; what the block there needs
//! must stand in its places, and what is not in registers must be the same. Then both go on behind the branch, up to the one that
//! is always taken. A jump to the block whose rows follow may be missing in the rows.
//!
//! **All blocks.** At each branch the places hold what the next block relies on, so by induction rows and code do the same for every
//! packet, if they do at the start of the program: there all is zero.
//!
//! **Memories** have no contents here. A write is named by its operation, its values, and the names of all writes before it that
//! may meet it; a load by these, too. So two orders of the same writes have the same names where they do not change the contents.
//! Maps are named in the same way, by the bytes of their values. Where a packet ends only that counts which its ending shows. Lookups
//! are compared by what they give: that a table which forgets remembers its use is nobody's promise.
//!
//! Nothing here asks how the rows were made. The rows where blocks begin and the places of registers are taken as a claim: where it is
//! wrong the names differ.

mod memory;
#[cfg(test)]
mod mutants;
mod needs;
mod state;
mod values;

use super::allocate::Places;
use super::code::{Code, Label, Pred, Reg, Step};
use crate::image::Image;
use crate::isa::{self, Action};
use needs::{needs, Needs};
use state::{Homes, Side, Words};
use std::collections::HashMap;
use std::fmt;
use values::{Value, Values};

/// What rows are said to be made of.
pub struct Claim<'a> {
    /// The code.
    pub code: &'a Code,
    /// Where its registers and predicates are.
    pub places: &'a Places,
    /// The first row of each block.
    pub starts: &'a HashMap<Label, u32>,
}

/// Where rows and code differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// In which block.
    pub block: Label,
    /// In which row; `None`: at the start of the program.
    pub row: Option<u32>,
    /// In which lane; `None`: at the end of the row.
    pub lane: Option<u8>,
    /// How.
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "row {row}")?;
        }
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        write!(f, " ({:?}): {}", self.block, self.message)
    }
}

/// Whether an image does what its code says.
///
/// # Errors
/// The first difference of each block.
pub fn check(claim: &Claim, image: &Image) -> Result<(), Vec<Difference>> {
    let code = claim.code;
    let sends = code.order.iter().any(|label| {
        let mut steps = code.blocks[*label].iter();
        steps.any(|step| matches!(step.op.action, Action::Send { .. }))
    });
    let check = Check {
        claim,
        image,
        needs: needs(code),
        words: Words::of(image),
        sends,
    };
    let begin = check.begin().err().into_iter();
    let blocks = code.order.iter();
    let blocks = blocks.filter_map(|label| Walk::new(&check, *label).go().err());
    let all: Vec<Difference> = begin.chain(blocks).collect();
    match all.is_empty() {
        true => Ok(()),
        false => Err(all),
    }
}

struct Check<'a> {
    claim: &'a Claim<'a>,
    image: &'a Image,
    needs: Needs,
    words: Words,
    /// The program sends copies of its packets, with the bytes that they have at their end.
    sends: bool,
}

/// The names of the code.
struct CodeHomes<'a>(&'a Places);

impl Homes<Reg, Pred> for CodeHomes<'_> {
    fn reg(&self, reg: Reg) -> Value {
        // What has no place differs from all that has.
        let nowhere = Value::Own(u32::MAX);
        self.0
            .regs
            .get(&reg)
            .map_or(nowhere, |reg| Value::Entry(*reg))
    }

    fn bit(&self, pred: Pred) -> Option<Value> {
        let nowhere = Value::Own(u32::MAX);
        let home = self.0.preds.get(&pred);
        (pred != Pred::ONE).then(|| home.map_or(nowhere, |pred| Value::EntryBit(*pred)))
    }
}

/// The names of the rows.
struct RowHomes;

impl Homes<isa::Reg, isa::Pred> for RowHomes {
    fn reg(&self, reg: isa::Reg) -> Value {
        Value::Entry(reg)
    }

    fn bit(&self, pred: isa::Pred) -> Option<Value> {
        (pred.0 != 0).then_some(Value::EntryBit(pred))
    }
}

impl Check<'_> {
    /// The start of the program.
    fn begin(&self) -> Result<(), Difference> {
        let code = self.claim.code;
        let block = code.order[0];
        let differ = |message: String| {
            let (row, lane) = (None, None);
            Err(Difference {
                block,
                row,
                lane,
                message,
            })
        };
        if self.claim.starts.get(&block) != Some(&0) {
            return differ("the program does not begin in its first row".into());
        }
        if let Some(reg) = self.needs[block].regs().next() {
            return differ(format!("{reg:?} is read before it is written"));
        }
        Ok(())
    }
}

/// A block on both sides.
struct Walk<'a> {
    check: &'a Check<'a>,
    block: Label,
    values: Values,
    steps: &'a [Step],
    /// Steps that the code has done.
    done: usize,
    row: u32,
    lane: Option<u8>,
}

type CodeSide<'a> = Side<'a, Reg, Pred, CodeHomes<'a>>;
type RowSide<'a> = Side<'a, isa::Reg, isa::Pred, RowHomes>;

impl<'a> Walk<'a> {
    fn new(check: &'a Check<'a>, block: Label) -> Walk<'a> {
        Walk {
            check,
            block,
            values: Values::default(),
            steps: &check.claim.code.blocks[block],
            done: 0,
            row: check.claim.starts.get(&block).copied().unwrap_or(u32::MAX),
            lane: None,
        }
    }

    fn differ<T>(&self, message: impl Into<String>) -> Result<T, Difference> {
        Err(Difference {
            block: self.block,
            row: Some(self.row),
            lane: self.lane,
            message: message.into(),
        })
    }

    /// Follows both sides to the end of the block.
    fn go(mut self) -> Result<(), Difference> {
        let homes = CodeHomes(self.check.claim.places);
        let mut code = Side::new(&homes, &self.check.words);
        let mut rows = Side::new(&RowHomes, &self.check.words);
        let first = self.row;
        loop {
            self.lane = None;
            let step = self.next_leaving(&mut code)?;
            if self.falls(step, first) {
                return self.goes_on(&code, &rows, step);
            }
            let Some(row) = self.check.image.rows.get(self.row as usize) else {
                return self.differ("control runs off the rows");
            };
            for (lane, op) in row.operations() {
                self.lane = Some(lane);
                let leaves = matches!(
                    op.action,
                    Action::Branch { .. } | Action::Exit { .. } | Action::Indirect { .. }
                );
                if !leaves {
                    rows.act(&mut self.values, op);
                    continue;
                }
                let step = self.next_leaving(&mut code)?;
                self.leave(&code, &rows, step, op)?;
                if step.always_leaves() {
                    return Ok(());
                }
                self.done += 1;
            }
            rows.end_row();
            self.row += 1;
        }
    }

    /// Does the steps up to the next branch or exit, and gives that.
    fn next_leaving(&mut self, code: &mut CodeSide) -> Result<&'a Step, Difference> {
        while let Some(step) = self.steps.get(self.done) {
            if !step.moves.is_empty() {
                return self.differ("the code has moves that are no steps");
            }
            if step.leaves() {
                return Ok(step);
            }
            code.act(&mut self.values, &step.op);
            code.end_row();
            self.done += 1;
        }
        self.differ("the rows go on where the code has ended")
    }

    /// The step is a jump to the block whose rows begin here.
    fn falls(&self, step: &Step, first: u32) -> bool {
        match step.op.action {
            Action::Branch { to, .. } => {
                let there = self.check.claim.starts.get(&to);
                // A block that goes round for ever does so by a branch.
                let moves = to != self.block || self.row > first;
                step.always_leaves() && moves && there == Some(&self.row)
            }
            _ => false,
        }
    }

    fn leave(
        &mut self,
        code: &CodeSide,
        rows: &RowSide,
        step: &Step,
        op: &isa::Operation,
    ) -> Result<(), Difference> {
        let expected = code.leave(&mut self.values, &step.op);
        let found = rows.leave(&mut self.values, op);
        if expected != found {
            return self.differ("a branch or exit is another one, or asks something else");
        }
        match (step.op.action, op.action) {
            (Action::Branch { to, .. }, Action::Branch { to: row, .. }) => {
                if self.check.claim.starts.get(&to) != Some(&row) {
                    return self.differ("a branch goes to another block");
                }
                self.goes_on(code, rows, step)
            }
            (Action::Exit { ending, .. }, Action::Exit { .. }) => {
                let (expected, found) = (code.rest(&mut self.values), rows.rest(&mut self.values));
                let bytes = ending.forwarded != Some(false) || self.check.sends;
                if bytes && expected.packet != found.packet {
                    return self.differ("a packet ends with other bytes");
                }
                match expected.maps == found.maps && expected.sends == found.sends {
                    true => Ok(()),
                    false => self.differ("a packet ends with other contents of maps, or copies"),
                }
            }
            _ => self.differ("the code goes where a register says"),
        }
    }

    /// Whether all is as the block relies on where a branch goes.
    fn goes_on(&mut self, code: &CodeSide, rows: &RowSide, step: &Step) -> Result<(), Difference> {
        let Action::Branch { to, .. } = step.op.action else {
            return self.differ("only branches go on");
        };
        let places = self.check.claim.places;
        for reg in self.check.needs[to].regs() {
            let expected = code.reg(&mut self.values, reg);
            let place = places.regs.get(&reg);
            let found = place.map(|place| rows.reg(&mut self.values, *place));
            if found != Some(expected) {
                return self.differ(format!("{reg:?} is not where {to:?} needs it"));
            }
        }
        for pred in self.check.needs[to].preds() {
            let expected = code.bit(&mut self.values, pred);
            let place = places.preds.get(&pred);
            let found = place.map(|place| rows.bit(&mut self.values, *place));
            if found != Some(expected) {
                return self.differ(format!("{pred:?} is not where {to:?} needs it"));
            }
        }
        match code.rest(&mut self.values) == rows.rest(&mut self.values) {
            true => Ok(()),
            false => self.differ(format!(
                "memory, maps, copies or the buffer of exits differ where control goes on to {to:?}"
            )),
        }
    }
}
