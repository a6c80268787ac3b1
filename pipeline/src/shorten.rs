//! Recurrences are made shorter: the way from what a packet reads of a map to what it writes there, which the next packet of
//! the same key waits for.
//!
//! *Late choices.* A condition that follows from the word itself comes after everything else. What it chooses is computed
//! meanwhile, both ways:
//!
//! ```text
//! v3 = ult v1, v2           v3 = ult v1, v2
//! v4 = select v3, 0, v2     v6 = sub v1, v2
//! v5 = sub v1, v4       →   v5 = select v3, v1, v6
//! ```
//!
//! *Compares of sums.* `x < a + b` does not wait for the sum. With `~x` as a third term, a row of full adders leaves two terms for one
//! carry chain beside that of the sum. `a + b = c * 2^w + t` with the carry `c`, so
//! `a + b + ~x = (c + 1) * 2^w + (t - x - 1)`, and `x < t` says whether the last term is not negative: the bit of weight `2^w` of
//! that sum is then `c + 1`, otherwise `c`. `x <= t` is the same with one more.
//!
//! Both cost logic, so nothing but recurrences is treated so, and only where they become shorter.

use crate::delay::is_wiring;
use crate::recurrence::{self, Arrivals};
use crate::region::Rebuild;
use crate::schedule::{is_chain, Schedule};
use crate::technology::Technology;
use hardpath_ir::{Inst, InstData, Op, Program, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// A compare of narrower sums is over before it matters.
const LEAST_SUM_BITS: u32 = 16;

/// Shortens the recurrences of a program in dataflow form; whether there was something to do.
pub fn shorten(program: &mut Program, technology: &Technology) -> bool {
    let found = Found::of(program, technology);
    if found.choices.is_empty() && found.compares.is_empty() {
        return false;
    }
    let sums: HashSet<Inst> = found.compares.values().map(|compare| compare.sum).collect();
    let mut carries: HashMap<Inst, Carry> = HashMap::new();
    let (mut rebuild, insts) = Rebuild::start(program);
    for inst in insts {
        if let Some(choice) = found.choices.get(&inst) {
            choose_late(&mut rebuild, inst, choice);
        } else if let Some(compare) = found.compares.get(&inst) {
            compare_terms(&mut rebuild, inst, compare, &carries[&compare.sum]);
        } else if sums.contains(&inst) {
            carries.insert(inst, sum_with_carry(&mut rebuild, inst));
        } else {
            rebuild.keep(inst);
        }
    }
    rebuild.finish();
    true
}

/// How many carry chains stand behind others, counted along the longest row of them in each stage.
pub fn chains(program: &Program, schedule: &Schedule) -> u32 {
    let mut behind: HashMap<Value, u32> = HashMap::new();
    let mut rows: HashMap<u32, u32> = HashMap::new();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if !data.op.is_pure() {
            continue;
        }
        let stage = schedule.times[data.results[0]].stage;
        let same = data
            .args
            .iter()
            .filter(|arg| schedule.times[**arg].stage == stage);
        let before = same
            .filter_map(|arg| behind.get(arg))
            .max()
            .copied()
            .unwrap_or(0);
        let is_long = is_chain(program, *inst) && program.width(data.args[0]) >= LEAST_SUM_BITS;
        let row = before + u32::from(is_long);
        behind.insert(data.results[0], row);
        let longest = rows.entry(stage).or_insert(0);
        *longest = row.max(*longest);
    }
    rows.into_values().map(|row| row.saturating_sub(1)).sum()
}

/// A sum or difference one of whose terms is chosen, the other way being zeros.
struct LateChoice {
    /// The argument that is chosen.
    place: usize,
    /// The wiring between the select and the argument, the last one first.
    wiring: Vec<Inst>,
    select: Inst,
    /// The condition chooses the zeros.
    zero_if: bool,
}

/// A compare with a sum.
struct SumCompare {
    sum: Inst,
    /// The sum is the first argument.
    sum_first: bool,
}

/// A sum that is compared.
struct Carry {
    terms: [Value; 2],
    /// Out of its highest bit.
    carry: Value,
}

/// What is worth it.
#[derive(Default)]
struct Found {
    choices: HashMap<Inst, LateChoice>,
    compares: HashMap<Inst, SumCompare>,
}

impl Found {
    fn of(program: &Program, technology: &Technology) -> Found {
        let maps = program.maps.keys();
        let of_maps: Vec<HashSet<Inst>> =
            maps.map(|map| recurrence::of_map(program, map)).collect();
        let together = |a: Inst, b: Inst| {
            of_maps
                .iter()
                .any(|all| all.contains(&a) && all.contains(&b))
        };
        let mut found = Found::default();
        let mut reads = Reads::new(program, technology);
        for inst in &program.blocks[program.region()].insts {
            // A condition that is known before the word is makes nothing longer.
            let choice = reads.late_choice(program, *inst).filter(|choice| {
                let condition = def(program, program.insts[choice.select].args[0]);
                condition.is_some_and(|condition| together(*inst, condition))
            });
            found.choices.extend(choice.map(|choice| (*inst, choice)));
            let compare = reads.sum_compare(program, *inst);
            let compare = compare.filter(|compare| together(*inst, compare.sum));
            found
                .compares
                .extend(compare.map(|compare| (*inst, compare)));
            reads.pass(program, *inst);
        }
        // One that is built anew for its carry keeps its choice where it is.
        for compare in found.compares.values() {
            found.choices.remove(&compare.sum);
        }
        found
    }
}

/// What comes how late behind what is read of maps.
struct Reads<'a> {
    technology: &'a Technology,
    arrivals: Arrivals<'a>,
}

impl Reads<'_> {
    fn new<'a>(program: &'a Program, technology: &'a Technology) -> Reads<'a> {
        Reads {
            technology,
            arrivals: Arrivals::behind(program, technology, &[], 0.0),
        }
    }

    /// Levels behind what is read of maps; 0 for what does not follow from it.
    fn at(&self, value: Value) -> f64 {
        self.arrivals.at(value).unwrap_or(0.0)
    }

    fn cost(&self, inst: Inst) -> f64 {
        self.arrivals.cost(inst)
    }

    fn pass(&mut self, program: &Program, inst: Inst) {
        let data = &program.insts[inst];
        let last = self.arrivals.last(data.args.iter().copied());
        let levels = match (data.op.is_pure(), last) {
            (true, Some((_, levels))) => levels + self.cost(inst),
            _ if matches!(data.op, Op::MapLoad(_) | Op::MapLookup(_)) => 0.0,
            _ => return,
        };
        for result in &data.results {
            self.arrivals.arrive(*result, levels);
        }
    }

    fn late_choice(&self, program: &Program, inst: Inst) -> Option<LateChoice> {
        let data = &program.insts[inst];
        let places: &[usize] = match data.op {
            Op::Add => &[0, 1],
            Op::Sub => &[1],
            _ => return None,
        };
        let choices = places
            .iter()
            .filter_map(|place| chosen_or_zero(program, data, *place));
        let sum = self.cost(inst);
        let gains = |choice: &LateChoice| {
            let select = &program.insts[choice.select];
            let condition = self.at(select.args[0]);
            let some = self.at(select.args[1 + usize::from(choice.zero_if)]);
            let other = self.at(data.args[1 - choice.place]);
            let before = condition.max(some) + self.cost(choice.select);
            let now = condition.max(some.max(other) + sum) + self.technology.select[2];
            now < before.max(other) + sum
        };
        choices.into_iter().find(gains)
    }

    fn sum_compare(&self, program: &Program, inst: Inst) -> Option<SumCompare> {
        let data = &program.insts[inst];
        if !matches!(data.op, Op::Ult | Op::Ule) {
            return None;
        }
        let is_sum = |value: Value| {
            let data = program.def_inst(value).filter(|data| data.op == Op::Add)?;
            let constant = |arg: &Value| program.as_const(*arg).is_some();
            let is_wide = program.width(value) >= LEAST_SUM_BITS;
            (is_wide && !data.args.iter().any(constant)).then(|| def(program, value))?
        };
        let sums = data.args.iter().map(|arg| is_sum(*arg));
        let sums: Vec<Option<Inst>> = sums.collect();
        let (sum, sum_first) = match sums[..] {
            [Some(sum), None] => (sum, true),
            [None, Some(sum)] => (sum, false),
            _ => return None,
        };
        let other = data.args[usize::from(sum_first)];
        let terms = &program.insts[sum].args;
        let terms = terms.iter().map(|term| self.at(*term));
        let first = terms.fold(self.at(other), f64::max);
        // A row of full adders, the chain, and the carry of the sum.
        let now = first + 1.0 + self.cost(sum) + self.technology.gate;
        let before = self
            .at(other)
            .max(self.at(data.args[usize::from(!sum_first)]));
        (now < before + self.cost(inst)).then_some(SumCompare { sum, sum_first })
    }
}

/// The choice behind an argument, when it has zeros as one way.
fn chosen_or_zero(program: &Program, data: &InstData, place: usize) -> Option<LateChoice> {
    let mut value = data.args[place];
    let mut wiring = Vec::new();
    loop {
        let inst = def(program, value)?;
        let from = &program.insts[inst];
        let is_zero = |value: Value| program.as_const(value).is_some_and(|bits| bits.is_zero());
        match from.op {
            Op::Select => {
                let zero_if = is_zero(from.args[1]);
                return (zero_if || is_zero(from.args[2])).then_some(LateChoice {
                    place,
                    wiring,
                    select: inst,
                    zero_if,
                });
            }
            Op::ZExt | Op::Slice { .. } => value = from.args[0],
            Op::Concat => {
                let mut others = from.args.iter().filter(|arg| !is_zero(**arg));
                value = *others.next()?;
                if others.next().is_some() {
                    return None;
                }
            }
            _ => return None,
        }
        debug_assert!(is_wiring(&from.op));
        wiring.push(inst);
    }
}

fn choose_late(rebuild: &mut Rebuild, inst: Inst, choice: &LateChoice) {
    let data = rebuild.program.insts[inst].clone();
    let select = rebuild.program.insts[choice.select].clone();
    let condition = rebuild.now(select.args[0]);
    let mut inner = select.results[0];
    let mut term = rebuild.now(select.args[1 + usize::from(choice.zero_if)]);
    for wire in choice.wiring.iter().rev() {
        let wire = rebuild.program.insts[*wire].clone();
        let args = wire.args.iter().map(|arg| match *arg == inner {
            true => term,
            false => rebuild.now(*arg),
        });
        let args = args.collect();
        let width = rebuild.width(wire.results[0]);
        term = rebuild.op(wire.op, args, width);
        inner = wire.results[0];
    }
    let other = rebuild.now(data.args[1 - choice.place]);
    let mut terms = vec![other; 2];
    terms[choice.place] = term;
    let width = rebuild.width(data.results[0]);
    let sum = rebuild.push(data.op, terms, &[width], None, data.place);
    let sum = rebuild.program.insts[sum].results[0];
    let (yes, no) = match choice.zero_if {
        true => (other, sum),
        false => (sum, other),
    };
    let args = vec![condition, yes, no];
    let chosen = rebuild.push(Op::Select, args, &[width], None, data.place);
    let chosen = rebuild.program.insts[chosen].results[0];
    rebuild.rename(data.results[0], chosen);
}

fn sum_with_carry(rebuild: &mut Rebuild, inst: Inst) -> Carry {
    let data = rebuild.program.insts[inst].clone();
    let width = rebuild.width(data.results[0]);
    let terms = [0, 1].map(|place| rebuild.now(data.args[place]));
    let args = terms.map(|term| rebuild.resize(term, width + 1)).to_vec();
    let sum = rebuild.push(Op::Add, args, &[width + 1], None, data.place);
    let sum = rebuild.program.insts[sum].results[0];
    let low = rebuild.slice(sum, 0, width);
    rebuild.rename(data.results[0], low);
    Carry {
        terms,
        carry: rebuild.slice(sum, width, 1),
    }
}

fn compare_terms(rebuild: &mut Rebuild, inst: Inst, compare: &SumCompare, sum: &Carry) {
    let data = rebuild.program.insts[inst].clone();
    let bound = rebuild.now(data.args[usize::from(compare.sum_first)]);
    let width = rebuild.width(bound);
    let mut op = |op: Op, args: &[Value], width: u32| rebuild.op(op, args.to_vec(), width);
    let [a, b] = sum.terms;
    let below = op(Op::Not, &[bound], width);
    let ab = op(Op::Xor, &[a, b], width);
    let sums = op(Op::Xor, &[ab, below], width);
    let (both, some) = (op(Op::And, &[a, b], width), op(Op::Or, &[a, b], width));
    let with_bound = op(Op::And, &[some, below], width);
    let carries = op(Op::Or, &[both, with_bound], width);
    // x < t, or x <= t: t < x is not x <= t.
    let reaches = (data.op == Op::Ule) != compare.sum_first;
    let one_more = rebuild.constant(u64::from(reaches), 1);
    let carries = rebuild.op(Op::Concat, vec![carries, one_more], width + 1);
    let sums = rebuild.resize(sums, width + 1);
    let args = vec![sums, carries];
    let all = rebuild.push(Op::Add, args, &[width + 1], None, data.place);
    let all = rebuild.program.insts[all].results[0];
    let high = rebuild.slice(all, width, 1);
    let mut result = rebuild.op(Op::Xor, vec![high, sum.carry], 1);
    if compare.sum_first {
        result = rebuild.op(Op::Not, vec![result], 1);
    }
    rebuild.rename(data.results[0], result);
}

fn def(program: &Program, value: Value) -> Option<Inst> {
    match program.values[value].def {
        ValueDef::Result(inst, _) => Some(inst),
        ValueDef::Param(..) => None,
    }
}
