//! An array's index that is chosen among indexes at which the packet has already read.
//!
//! ```text
//! v1 = map.load @m v8, 0                       v1 = map.load @m v8, 0
//! v2 = map.load @m v9, 0                       v2 = map.load @m v9, 0
//! v3 = select v0, v8, v9                  →    v5 = add v1, 1
//! v4 = add (select v0, v1, v2), 1              v6 = add v2, 1
//! map.store @m v3, 0, v4                       map.store @m v8, 0, v5 if v0
//!                                              map.store @m v9, 0, v6 if not v0
//! ```
//!
//! A choice that follows from what was read would otherwise be an index that is known too late. What is stored at
//! each of them then only follows from what is there.

use super::{same_value, Words};
use hardpath_ir::{MapId, Op, Program, Value};
use hardpath_passes::{are_disjoint, implies};
use std::collections::HashMap;

/// An index that is chosen among more is not taken apart.
const MOST_CHOICES: usize = 8;

/// A condition, and whether it holds.
pub type Term = (Value, bool);

/// One of the things that a chosen index can be.
struct Leaf {
    /// The element.
    place: usize,
    /// The index is this one when all of them are as they stand here.
    terms: Vec<Term>,
    /// Then these are so, too.
    known: Vec<Term>,
}

/// An element that a chosen index means, the condition under which it does, and what is known then.
pub type Chosen = (usize, Option<Value>, Vec<Term>);

impl Words<'_> {
    /// The elements that a chosen index can mean, when each of them is one that the packet has met. `guard` holds when
    /// the element is accessed.
    pub fn chosen_index(
        &mut self,
        map: MapId,
        index: Value,
        guard: Option<Value>,
    ) -> Option<Vec<Chosen>> {
        let mut leaves = Vec::new();
        self.leaves(map, index, &mut Vec::new(), guard, &mut leaves)?;
        let mut chosen: Vec<Chosen> = Vec::new();
        for leaf in leaves {
            let mut condition = None;
            for (term, holds) in &leaf.terms {
                let term = match holds {
                    true => *term,
                    false => self.rebuild.op(Op::Not, vec![*term], 1),
                };
                condition = self.rebuild.and(condition, Some(term));
            }
            let known: Vec<Term> = leaf.terms.into_iter().chain(leaf.known).collect();
            match chosen.iter_mut().find(|(place, ..)| *place == leaf.place) {
                None => chosen.push((leaf.place, condition, known)),
                Some((_, other, both)) => {
                    *other = self.rebuild.or(*other, condition);
                    both.retain(|term| known.contains(term));
                }
            }
        }
        // It is exactly one of them: the last one when it is none of the others. So it is seen that they exclude each
        // other.
        let (last, others) = chosen.split_last_mut()?;
        let first = others.first()?.1;
        let any = others[1..].iter().fold(first, |any, (_, condition, _)| {
            self.rebuild.or(any, *condition)
        });
        last.1 = any.map(|any| self.rebuild.op(Op::Not, vec![any], 1));
        Some(chosen)
    }

    /// A value, when conditions are known.
    pub fn given_terms(&mut self, value: Value, terms: &[Term]) -> Value {
        if terms.is_empty() {
            return value;
        }
        let mut known = HashMap::new();
        for (term, holds) in terms {
            known.insert(*term, self.rebuild.constant(u64::from(*holds), 1));
        }
        let needed = self.needed(&[value]);
        let given = self.given(&needed, known);
        *given.get(&value).unwrap_or(&value)
    }

    /// Adds what an index is chosen among. `None`: it can be something else, too.
    fn leaves(
        &self,
        map: MapId,
        index: Value,
        above: &mut Vec<Term>,
        guard: Option<Value>,
        leaves: &mut Vec<Leaf>,
    ) -> Option<()> {
        if leaves.len() >= MOST_CHOICES || above.len() >= MOST_CHOICES {
            return None;
        }
        let program = &*self.rebuild.program;
        if let Some(place) = self.known_index(map, index) {
            leaves.push(Leaf {
                place,
                terms: above.clone(),
                known: Vec::new(),
            });
            return Some(());
        }
        let data = program.def_inst(index)?;
        match data.op {
            Op::ZExt => self.leaves(map, data.args[0], above, guard, leaves),
            Op::Select => {
                for (arg, holds) in [(data.args[1], true), (data.args[2], false)] {
                    above.push((data.args[0], holds));
                    self.leaves(map, arg, above, guard, leaves)?;
                    above.pop();
                }
                Some(())
            }
            Op::Or => {
                let all = masked(program, index, guard)?;
                for (mask, index) in &all {
                    let others = all.iter().filter(|(other, _)| other != mask);
                    leaves.push(Leaf {
                        place: self.known_index(map, *index)?,
                        terms: above.iter().copied().chain([(*mask, true)]).collect(),
                        known: others.map(|(other, _)| (*other, false)).collect(),
                    });
                }
                Some(())
            }
            _ => None,
        }
    }
}

/// Values behind masks, with the conditions that the masks are made of, when exactly one of these holds.
fn masked(program: &Program, value: Value, guard: Option<Value>) -> Option<Vec<(Value, Value)>> {
    let mut all = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        let data = program.def_inst(value)?;
        if all.len() + todo.len() > MOST_CHOICES {
            return None;
        }
        match data.op {
            Op::Or => todo.extend(&data.args),
            Op::And => {
                let mask = |arg: Value| {
                    let data = program.def_inst(arg)?;
                    let whole = data.op == Op::SExt && program.width(data.args[0]) == 1;
                    whole.then(|| data.args[0])
                };
                let (a, b) = (data.args[0], data.args[1]);
                all.push(match (mask(a), mask(b)) {
                    (None, Some(condition)) => (condition, a),
                    (Some(condition), None) => (condition, b),
                    _ => return None,
                });
            }
            _ => return None,
        }
    }
    let conditions: Vec<Value> = all.iter().map(|(condition, _)| *condition).collect();
    let exclude = |at: usize| {
        let others = conditions[at + 1..].iter();
        others
            .into_iter()
            .all(|other| are_disjoint(program, conditions[at], *other))
    };
    let one_holds = covers(program, &conditions)
        || guard.is_some_and(|guard| implied_by(program, guard, &conditions));
    (one_holds && (0..conditions.len()).all(exclude)).then_some(all)
}

/// Whether one of the conditions is what is left when all others do not hold.
fn covers(program: &Program, conditions: &[Value]) -> bool {
    conditions.iter().any(|condition| {
        let negated = program
            .def_inst(*condition)
            .filter(|data| data.op == Op::Not)
            .map(|data| data.args[0]);
        negated.is_some_and(|negated| implied_by(program, negated, conditions))
    })
}

/// Whether one of the conditions holds whenever an or of some of them, or one that implies one of them, does.
fn implied_by(program: &Program, condition: Value, conditions: &[Value]) -> bool {
    let mut todo = vec![condition];
    let mut steps = 4 * MOST_CHOICES;
    while let Some(condition) = todo.pop() {
        steps = match steps {
            0 => return false,
            steps => steps - 1,
        };
        if conditions
            .iter()
            .any(|other| condition == *other || implies(program, condition, *other))
        {
            continue;
        }
        match program.def_inst(condition) {
            Some(data) if data.op == Op::Or => todo.extend(&data.args),
            // Behind this condition or that one; either will do.
            Some(data) if data.op == Op::And => {
                let ors = |arg: &&Value| {
                    program
                        .def_inst(**arg)
                        .is_some_and(|data| data.op == Op::Or)
                };
                match data.args.iter().find(ors) {
                    Some(or) => todo.push(*or),
                    None => return false,
                }
            }
            _ => return false,
        }
    }
    true
}

/// Whether two indexes are the same number, whatever their widths are.
pub fn same_index(program: &Program, a: Value, b: Value) -> bool {
    let bare = |mut value: Value| {
        while let Some(data) = program.def_inst(value).filter(|data| data.op == Op::ZExt) {
            value = data.args[0];
        }
        value
    };
    let number = |value: Value| program.as_const(value).and_then(|bits| bits.as_u64());
    let (a, b) = (bare(a), bare(b));
    same_value(program, a, b) || number(a).is_some() && number(a) == number(b)
}
