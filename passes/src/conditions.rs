//! What follows from a condition, and which conditions exclude each other.
//!
//! A condition is a tree of `and`, `or` and `not` over literals. [`Literals::of`] gives the literals that must hold
//! when the condition has a given value. Two equalities of one value with different constants exclude each other.
//! All answers err on the safe side: "no" may mean "not seen".

use crate::exhaustive::impossible;
use hardpath_ir::{Op, Program, Value};

/// A 1-bit value and what it is.
pub type Literal = (Value, bool);

/// More literals than this are not followed: the questions get slow and the answers do not get better.
const MOST_LITERALS: usize = 48;
/// A condition is decided from parts that lie so deep in it.
const MOST_DEPTH: u32 = 5;
/// Or-trees are taken apart so often, at most, when two conditions are compared.
const MOST_CASES: u32 = 64;

/// Literals that hold together.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    list: Vec<Literal>,
}

impl Literals {
    /// What must hold when `condition` is `value`.
    pub fn of(program: &Program, condition: Value, value: bool) -> Literals {
        let mut literals = Literals::default();
        literals.collect(program, condition, value);
        literals
    }

    fn collect(&mut self, program: &Program, condition: Value, value: bool) {
        if self.list.len() >= MOST_LITERALS || self.list.contains(&(condition, value)) {
            return;
        }
        self.list.push((condition, value));
        let Some(inst) = program.def_inst(condition) else {
            return;
        };
        match (&inst.op, value) {
            (Op::Not, _) => self.collect(program, inst.args[0], !value),
            (Op::And, true) | (Op::Or, false) => {
                for &arg in &inst.args {
                    self.collect(program, arg, value);
                }
            }
            _ => {}
        }
    }

    /// What a condition is when the literals hold.
    pub fn decide(&self, program: &Program, condition: Value) -> Option<bool> {
        self.decide_within(program, condition, MOST_DEPTH)
    }

    fn decide_within(&self, program: &Program, condition: Value, depth: u32) -> Option<bool> {
        if let Some(&(_, value)) = self.list.iter().find(|(known, _)| *known == condition) {
            return Some(value);
        }
        let inst = program.def_inst(condition)?;
        let below = |index: usize| match depth {
            0 => None,
            _ => self.decide_within(program, inst.args[index], depth - 1),
        };
        match inst.op {
            Op::Not => return below(0).map(|value| !value),
            Op::And | Op::Or => {
                let neutral = inst.op == Op::And;
                let (a, b) = (below(0), below(1));
                return match (a, b) {
                    (Some(x), _) | (_, Some(x)) if x != neutral => Some(!neutral),
                    (Some(_), Some(_)) => Some(neutral),
                    _ => None,
                };
            }
            _ => {}
        }
        let equality = Equality::of(program, condition)?;
        self.list.iter().find_map(|&(known, value)| {
            let other = Equality::of(program, known)?;
            equality.given(program, other, value)
        })
    }

    fn contradicts(&self, program: &Program, other: &Literals) -> bool {
        other
            .list
            .iter()
            .any(|&(condition, value)| self.decide(program, condition) == Some(!value))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Literal> {
        self.list.iter()
    }
}

/// A compare of a value with a constant.
#[derive(Clone, Copy)]
struct Equality {
    value: Value,
    constant: Value,
    equal: bool,
}

impl Equality {
    fn of(program: &Program, condition: Value) -> Option<Equality> {
        let inst = program.def_inst(condition)?;
        if !matches!(inst.op, Op::Eq | Op::Ne) {
            return None;
        }
        program.as_const(inst.args[1])?;
        Some(Equality {
            value: inst.args[0],
            constant: inst.args[1],
            equal: inst.op == Op::Eq,
        })
    }

    /// What this compare gives when `other` gives `outcome`.
    fn given(self, program: &Program, other: Equality, outcome: bool) -> Option<bool> {
        if self.value != other.value {
            return None;
        }
        let same = program.as_const(self.constant) == program.as_const(other.constant);
        let other_holds = other.equal == outcome;
        match (same, other_holds) {
            // The value is the constant (or it is not).
            (true, holds) => Some(holds == self.equal),
            (false, true) => Some(!self.equal),
            (false, false) => None,
        }
    }
}

/// Whether both conditions are never 1 in the same run.
pub fn are_disjoint(program: &Program, a: Value, b: Value) -> bool {
    let mut cases = MOST_CASES;
    disjoint(program, a, b, &mut cases) || impossible(program, &[(a, true), (b, true)])
}

/// Whether `b` is 1 whenever `a` is 1.
pub fn implies(program: &Program, a: Value, b: Value) -> bool {
    a == b || impossible(program, &[(a, true), (b, false)])
}

/// Whether in no run all literals hold. Also two by two, because fewer conditions are made of less.
pub fn never_together(program: &Program, literals: &[Literal]) -> bool {
    let two = |a: &Literal, b: &Literal| match (a, b) {
        ((a, true), (b, true)) => are_disjoint(program, *a, *b),
        _ => impossible(program, &[*a, *b]),
    };
    let others = |place: usize| &literals[place + 1..];
    let mut places = 0..literals.len();
    places.any(|place| {
        others(place)
            .iter()
            .any(|other| two(&literals[place], other))
    }) || impossible(program, literals)
}

fn disjoint(program: &Program, a: Value, b: Value, cases: &mut u32) -> bool {
    let literals_a = Literals::of(program, a, true);
    let literals_b = Literals::of(program, b, true);
    if literals_a.contradicts(program, &literals_b) || literals_b.contradicts(program, &literals_a)
    {
        return true;
    }
    // An `or` among the literals of one is taken apart: each side must be disjoint from the other condition.
    for (literals, other) in [(&literals_a, b), (&literals_b, a)] {
        for &(condition, value) in literals.iter() {
            let Some(inst) = program.def_inst(condition) else {
                continue;
            };
            if !value || inst.op != Op::Or {
                continue;
            }
            if *cases == 0 {
                return false;
            }
            *cases -= 1;
            let sides = inst.args.clone();
            if sides
                .iter()
                .all(|&side| disjoint(program, side, other, cases))
            {
                return true;
            }
        }
    }
    false
}
