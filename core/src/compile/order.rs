//! What must stand in front of what, among the steps of a trace.

use super::code::{Pred, Reg, Step};
use super::effects::{goes, After, Effects};
use super::savings::Saving;
use super::schedule::Context;
use crate::isa::{Action, Into};
use std::collections::HashMap;

/// The orders of a trace.
pub struct Order {
    /// Of each step: what it stands behind, and how close it may come.
    pub behind: Vec<Vec<(usize, After)>>,
    /// Of each step: how many rows the longest chain behind it takes.
    pub height: Vec<u32>,
}

struct Building<'a> {
    steps: &'a [Step],
    behind: Vec<Vec<(usize, After)>>,
    effects: Vec<Effects>,
    /// The steps that do something beside registers.
    acting: Vec<usize>,
    /// The last steps that wrote a register or predicate (several where guards let older values through), and who read it since.
    written: HashMap<Name, (Vec<usize>, Vec<usize>)>,
}

/// What a comparison gathers into a predicate, in any order with its like and beside them.
fn gathers(step: &Step) -> Option<(Into, Pred)> {
    match step.op.action {
        Action::Compare { into, yes, .. } if matches!(into, Into::And | Into::Or) => {
            Some((into, yes))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Reg(Reg),
    Pred(Pred),
}

/// Of the steps of a trace.
pub fn order(steps: &[Step], context: &Context) -> Order {
    let mut building = Building {
        steps,
        behind: vec![Vec::new(); steps.len()],
        effects: Vec::new(),
        acting: Vec::new(),
        written: HashMap::new(),
    };
    let mut versions: HashMap<Reg, u32> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let effects = Effects::of(step, |reg| versions.get(&reg).copied().unwrap_or(0));
        building.names(index);
        building.memories(index, &effects);
        building.effects.push(effects);
        for reg in step.touched().writes {
            *versions.entry(reg).or_default() += 1;
        }
    }
    building.control(context);
    building.finish()
}

impl Building<'_> {
    fn names(&mut self, index: usize) {
        let touched = self.steps[index].touched();
        let guarded = self.steps[index].op.guard.is_some();
        let reads = touched.reads.iter().map(|reg| Name::Reg(*reg));
        let asks = touched.asks.iter().map(|pred| Name::Pred(*pred));
        for name in reads.chain(asks) {
            let (writers, readers) = self.written.entry(name).or_default();
            self.behind[index].extend(writers.iter().map(|writer| (*writer, After::Row)));
            readers.push(index);
        }
        let writes = touched.writes.iter().map(|reg| (Name::Reg(*reg), guarded));
        let decides = touched.decides.iter();
        let decides = decides.map(|(pred, keeps)| (Name::Pred(*pred), *keeps));
        for (name, keeps) in writes.chain(decides) {
            let (writers, readers) = self.written.entry(name).or_default();
            let before = readers.iter().filter(|reader| **reader != index);
            self.behind[index].extend(before.map(|reader| (*reader, After::Same)));
            let gathered = gathers(&self.steps[index]);
            let beside =
                |writer: &usize| gathered.is_some() && gathers(&self.steps[*writer]) == gathered;
            let writers_before = writers.iter().filter(|writer| !beside(writer));
            self.behind[index].extend(writers_before.map(|writer| (*writer, After::Row)));
            if !keeps {
                writers.clear();
            }
            writers.push(index);
            readers.clear();
        }
    }

    fn memories(&mut self, index: usize, effects: &Effects) {
        if effects.is_none() {
            return;
        }
        for &earlier in &self.acting {
            if let Some(after) = self.effects[earlier].orders(effects) {
                self.behind[index].push((earlier, after));
            }
        }
        self.acting.push(index);
    }

    /// Branches stay in order; what somebody sees who leaves stays in front, what nobody may see behind.
    fn control(&mut self, context: &Context) {
        let (live, sends, without) = (context.live, context.sends, context.without);
        let speculates = without.keeps(Saving::Speculation);
        let next = match without.contains(Saving::Branches) {
            true => After::Row,
            false => After::Lane,
        };
        let leaving: Vec<usize> = (0..self.steps.len())
            .filter(|index| self.steps[*index].leaves())
            .collect();
        let touched: Vec<_> = self.steps.iter().map(Step::touched).collect();
        for (place, &branch) in leaving.iter().enumerate() {
            let step = &self.steps[branch];
            if place > 0 {
                self.behind[branch].push((leaving[place - 1], next));
            }
            let there = goes(step).map(|label| &live[label]);
            for index in (0..self.steps.len()).filter(|index| *index != branch) {
                let seen = there.is_some_and(|there| there.is_written_by(&touched[index]));
                let effects = &self.effects[index];
                if index < branch && (seen || effects.matters_at(step, sends)) {
                    self.behind[branch].push((index, After::Lane));
                }
                let is_branch = self.steps[index].leaves();
                let stays = seen || !speculates || effects.stays_behind(step, sends);
                if index > branch && !is_branch && stays {
                    self.behind[index].push((branch, After::Lane));
                }
            }
        }
    }

    /// The last step stands behind all that nothing else stands behind.
    fn finish(mut self) -> Order {
        let count = self.steps.len();
        let mut has_later = vec![false; count];
        for behind in &self.behind {
            for (earlier, _) in behind {
                has_later[*earlier] = true;
            }
        }
        let last = count - 1;
        for index in (0..last).filter(|index| !has_later[*index]) {
            self.behind[last].push((index, After::Lane));
        }
        let mut height = vec![0; count];
        for index in (0..count).rev() {
            for (earlier, after) in &self.behind[index] {
                let rows = height[index] + u32::from(*after == After::Row);
                height[*earlier] = height[*earlier].max(rows);
            }
        }
        Order {
            behind: self.behind,
            height,
        }
    }
}
