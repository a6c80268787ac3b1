//! What a store knows when it happens.
//!
//! ```text
//! v1, v2 = map.lookup @m key              the element of the key, if there is one
//! v3 = map.update @m key, v4 if not v1    else one is made
//! v5 = select v1, 0, 1                    a pointer to whichever it is
//! map.store @m v5, v6 if v1 or v3 = 0
//!                                     →   map.store @m v2, v6 if v1
//! ```
//!
//! In front of the commit nobody knows what an update will return. But who stores in an element that the map had
//! before the packet knows that it was there, and who stores in one that an update made knows that the update
//! succeeded. With that in place of hits and results most conditions need no result any more.

use super::tables::{Change, Wants};
use super::{same_value, Origin, Words};
use hardpath_ir::{eval, Answer, Bits, MapId, Op, Value};
use hardpath_passes::{are_disjoint, implies};
use std::collections::{HashMap, HashSet};

/// The most operations that are computed once more for a store. Where every store asks for the results of the updates
/// before it, each update doubles what the next store needs; such a program is refused in the end, as it was not clear
/// what its stores know.
const MOST_COMPUTED: usize = 10_000;

/// What some values are computed from.
#[derive(Default)]
pub struct Needed {
    all: HashSet<Value>,
    /// Those of them that pure operations compute, each behind its arguments.
    computed: Vec<Value>,
}

/// A condition in the making.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    Constant(bool),
    If(Value),
}

impl Words<'_> {
    /// A store's guard and value, with what is known when the store in this element happens. What needs no result of an
    /// update of the map stays as it is. `None`: it never happens.
    pub fn given_element(
        &mut self,
        map: MapId,
        place: usize,
        guard: Option<Value>,
        value: Value,
    ) -> Option<(Option<Value>, Value)> {
        let roots: Vec<Value> = guard.into_iter().chain([value]).collect();
        let needed = self.needed(&roots);
        let changes = self.maps[&map].changes.iter();
        let results: Vec<Value> = changes.map(|change| self.result(change)).collect();
        let asks = results.iter().any(|result| needed.all.contains(result));
        if !asks || needed.computed.len() > MOST_COMPUTED {
            return Some((guard, value));
        }
        let (known, must_hold) = match self.maps[&map].elements[place].origin {
            Origin::Index(_) => return Some((guard, value)),
            Origin::Found(number) => self.known_of_found(map, number),
            Origin::Made(change) => (self.known_of_made(map, change), None),
        };
        let given = self.given(&needed, known);
        let now = |value: Value| *given.get(&value).unwrap_or(&value);
        let value = now(value);
        let Some(guard) = guard.map(now) else {
            return Some((None, value));
        };
        let guard = self.rebuild.and(must_hold, Some(guard)).unwrap_or(guard);
        if are_disjoint(self.rebuild.program, guard, guard) {
            return None;
        }
        Some((Some(self.without_results(map, guard)), value))
    }

    fn result(&self, change: &Change) -> Value {
        self.rebuild.program.insts[change.inst].results[0]
    }

    /// What is known about an element that the map had before the packet, and the condition that it did.
    fn known_of_found(
        &mut self,
        map: MapId,
        number: usize,
    ) -> (HashMap<Value, Value>, Option<Value>) {
        let lookup = &self.maps[&map].lookups[number];
        let (inst, key) = (lookup.inst, lookup.key);
        let hit = self.rebuild.program.insts[inst].results[0];
        let mut known = HashMap::from([(hit, self.rebuild.constant(1, 1))]);
        // The key is there until the packet deletes one: so it is known what an update of it answers.
        for change in 0..self.maps[&map].changes.len() {
            let change = &self.maps[&map].changes[change];
            let (result, guard) = (self.result(change), change.guard);
            let is_same = same_value(self.rebuild.program, change.key, key);
            let returned = match change.wants {
                None => break,
                Some(Wants::Nothing) => self.answer(Answer::Refused),
                Some(_) if !is_same => continue,
                Some(Wants::Any | Wants::Key) => {
                    known.insert(result, self.answer(Answer::Done));
                    continue;
                }
                Some(Wants::NoKey) => self.answer(Answer::Exists),
                Some(Wants::AsBits(may)) => self.answer_for_known(may),
            };
            let nothing = self.answer(Answer::Done);
            known.insert(result, self.rebuild.select(guard, returned, nothing));
        }
        (known, Some(hit))
    }

    fn answer(&mut self, answer: Answer) -> Value {
        self.rebuild.constant(answer.code().into(), Answer::BITS)
    }

    /// What is known about an element that an update made: that it happened, and succeeded.
    fn known_of_made(&mut self, map: MapId, change: usize) -> HashMap<Value, Value> {
        let change = &self.maps[&map].changes[change];
        let (result, guard) = (self.result(change), change.guard);
        let mut known = HashMap::from([(result, self.answer(Answer::Done))]);
        if let Some(guard) = guard {
            known.insert(guard, self.rebuild.constant(1, 1));
        }
        known
    }

    /// A condition without the success of updates, where it is the same without.
    fn without_results(&mut self, map: MapId, guard: Value) -> Value {
        let mut guard = guard;
        let changes = self.maps[&map].changes.iter();
        let asked: Vec<Value> = changes.filter_map(|change| change.done).collect();
        for done in asked {
            let needed = self.needed(&[guard]);
            if !needed.all.contains(&done) {
                continue;
            }
            let never = self.rebuild.constant(0, 1);
            let given = self.given(&needed, HashMap::from([(done, never)]));
            let without = *given.get(&guard).unwrap_or(&guard);
            let program = &*self.rebuild.program;
            if implies(program, guard, without) && implies(program, without, guard) {
                guard = without;
            }
        }
        guard
    }

    /// All that values are computed from.
    pub fn needed(&self, roots: &[Value]) -> Needed {
        let mut needed = Needed::default();
        let mut open: Vec<(Value, bool)> = roots.iter().map(|root| (*root, false)).collect();
        while let Some((value, is_done)) = open.pop() {
            if is_done {
                needed.computed.push(value);
            } else if needed.all.insert(value) {
                let maker = self.rebuild.program.def_inst(value);
                if let Some(data) = maker.filter(|data| data.op.is_pure()) {
                    open.push((value, true));
                    open.extend(data.args.iter().map(|arg| (*arg, false)));
                }
            }
        }
        needed
    }

    /// Computes once more what follows from values that are known to be something else, as far as it is needed. Gives
    /// what stands for what.
    pub fn given(
        &mut self,
        needed: &Needed,
        mut given: HashMap<Value, Value>,
    ) -> HashMap<Value, Value> {
        for &result in &needed.computed {
            let data = (self.rebuild.program.def_inst(result)).expect("it is computed");
            if given.contains_key(&result) || !data.args.iter().any(|arg| given.contains_key(arg)) {
                continue;
            }
            let op = data.op.clone();
            let args: Vec<Value> = (data.args.iter())
                .map(|arg| *given.get(arg).unwrap_or(arg))
                .collect();
            let copy = self.folded(op, args, self.rebuild.width(result));
            given.insert(result, copy);
        }
        given
    }

    /// An operation, or what it gives where that is known.
    fn folded(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        let program = &*self.rebuild.program;
        let known: Vec<Option<&Bits>> = args.iter().map(|arg| program.as_const(*arg)).collect();
        let all: Option<Vec<Bits>> = known.iter().map(|bits| bits.cloned()).collect();
        if let Some(bits) = all.and_then(|all| eval::eval_pure(&op, &all, width)) {
            return self.rebuild.constant_bits(bits);
        }
        let is_zero = |at: usize| known[at].is_some_and(|bits| bits.is_zero());
        let is_ones = |at: usize| known[at].is_some_and(|bits| bits.is_ones());
        let same = match op {
            Op::And if is_zero(0) || is_ones(1) => Some(args[0]),
            Op::And if is_zero(1) || is_ones(0) => Some(args[1]),
            Op::Or if is_ones(0) || is_zero(1) => Some(args[0]),
            Op::Or if is_ones(1) || is_zero(0) => Some(args[1]),
            Op::Select if is_ones(0) || args[1] == args[2] => Some(args[1]),
            Op::Select if is_zero(0) => Some(args[2]),
            _ => None,
        };
        same.unwrap_or_else(|| self.rebuild.op(op, args, width))
    }

    /// The condition that a choice among elements is this one, as logic over what it is chosen by.
    pub fn is_element(&mut self, number: Value, place: u64) -> Value {
        match self.is_chosen(number, place, &mut HashMap::new()) {
            Condition::If(value) => value,
            Condition::Constant(constant) => self.rebuild.constant(u64::from(constant), 1),
        }
    }

    fn is_chosen(
        &mut self,
        number: Value,
        place: u64,
        known: &mut HashMap<Value, Condition>,
    ) -> Condition {
        if let Some(condition) = known.get(&number) {
            return *condition;
        }
        let program = &*self.rebuild.program;
        let constant = program.as_const(number).and_then(|bits| bits.as_u64());
        let select = program
            .def_inst(number)
            .filter(|data| data.op == Op::Select);
        let condition = match (constant, select.map(|data| data.args.clone())) {
            (Some(constant), _) => Condition::Constant(constant == place),
            (None, Some(args)) => {
                let yes = self.is_chosen(args[1], place, known);
                let no = self.is_chosen(args[2], place, known);
                self.choose(args[0], yes, no)
            }
            (None, None) => {
                let constant = self.rebuild.constant(place, 32);
                Condition::If(self.rebuild.op(Op::Eq, vec![number, constant], 1))
            }
        };
        known.insert(number, condition);
        condition
    }

    fn choose(&mut self, choice: Value, yes: Condition, no: Condition) -> Condition {
        use Condition::{Constant, If};
        if yes == no {
            return yes;
        }
        let mut not = || self.rebuild.op(Op::Not, vec![choice], 1);
        If(match (yes, no) {
            (Constant(true), Constant(_)) => choice,
            (Constant(false), Constant(_)) => not(),
            (Constant(true), If(no)) => self.rebuild.op(Op::Or, vec![choice, no], 1),
            (If(yes), Constant(false)) => self.rebuild.op(Op::And, vec![choice, yes], 1),
            (Constant(false), If(no)) => {
                let other = not();
                self.rebuild.op(Op::And, vec![other, no], 1)
            }
            (If(yes), Constant(true)) => {
                let other = not();
                self.rebuild.op(Op::Or, vec![other, yes], 1)
            }
            (If(yes), If(no)) => self.rebuild.op(Op::Select, vec![choice, yes, no], 1),
        })
    }
}
