//! Loops that stay loops.
//!
//! The head of such a loop is lifted once, for all its rounds, so what is known there must hold in every round. That is not
//! known before the loop's end has been lifted. So the program is lifted several times. At first a loop's head finds what its
//! way in brings. Where a way back brings something else, that is noted in the loop's [`Plan`], and next time the head is
//! joined with it ([`Plan::way`]), as if it came in along one more way. The plans only grow, and bounds of numbers grow by
//! steps to numbers that the loop compares with, so that after some times no way back brings anything new. Then the
//! last program is the right one. (P. Cousot and R. Cousot, "Abstract interpretation: a unified lattice model", 1977, call the
//! steps widening.) Last, the bounds are tried that the ways back really have, which are narrower.
//!
//! ```text
//! i = 0;                                        block1(i)      first i is 0, and 1 comes back;
//! do { sum += p[i]; } while (++i != 4);    →        …          then i is 0 to 3, and 1 to 3 come back
//! ```
//!
//! A loop is written out instead, round after round, where it has another entry than its head, and where something in it
//! cannot be lifted for all rounds at once: mostly because a register holds another kind of thing in each.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hardpath_ir::structure::Bound;
use hardpath_ir::{Block, Target, ValueDef};

use super::agenda::Instance;
use super::builder::Builder;
use super::facts::Facts;
use super::flow::Flow;
use super::join::{Edge, Side};
use super::places::Place;
use super::range::Range;
use super::stack::{Content, Word};
use super::state::{AbstractValue, MapPointer, Operand, State};
use super::Lifter;

/// A loop of the program, wherever it is called from: the program's number, the first slot of the head or that of the call of
/// `bpf_loop`, and whether it is such a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LoopId {
    pub code: usize,
    pub slot: usize,
    pub is_call: bool,
}

/// Which loops stay loops, and what is known of them from earlier times.
#[derive(Clone, Default)]
pub struct Loops {
    /// The structured phase is wanted.
    wanted: bool,
    /// Otherwise all are written out.
    keep: bool,
    written_out: BTreeSet<LoopId>,
    /// By the key of the head's instance.
    plans: BTreeMap<Vec<u32>, Plan>,
    /// The loops whose plans have grown this time, by the same.
    grown: BTreeMap<Vec<u32>, LoopId>,
    /// What came back this time to parts that vary.
    seen: BTreeMap<(Vec<u32>, Place, usize), Range>,
    /// Of each thing that could not be lifted: the loops around it, the innermost first.
    troubles: BTreeSet<Vec<LoopId>>,
}

/// After so many times that a plan has grown its numbers may be any.
const PATIENCE: u32 = 12;
/// The most times that a program is lifted until no plan grows.
const MOST_TIMES: u32 = 60;

impl Loops {
    /// Loops stay loops where they can.
    pub fn kept() -> Loops {
        Loops {
            wanted: true,
            keep: true,
            ..Loops::default()
        }
    }

    /// Whether the program is to be in the structured phase, with whatever loops stay loops.
    pub fn are_wanted(&self) -> bool {
        self.wanted
    }

    /// Whether a loop stays one.
    pub fn keeps(&self, id: LoopId) -> bool {
        self.keep && !self.written_out.contains(&id)
    }

    /// Notes that something in these loops cannot be lifted.
    pub fn trouble(&mut self, around: Vec<LoopId>) {
        if self.keep {
            self.troubles.insert(around);
        }
    }

    /// For a program whose stack or instances are others.
    pub fn without_plans(self) -> Loops {
        Loops {
            plans: BTreeMap::new(),
            ..self
        }
    }

    fn begin(&mut self) {
        self.grown.clear();
        self.seen.clear();
        self.troubles.clear();
    }

    /// With fewer loops that stay loops, where something could not be lifted. `None`: all could, or that does not come from
    /// loops.
    pub fn fewer(&self) -> Option<Loops> {
        if !self.keep || self.troubles.is_empty() {
            return None;
        }
        let innermost = self.troubles.iter().filter_map(|around| around.first());
        let innermost: BTreeSet<LoopId> = innermost.copied().collect();
        Some(Loops {
            wanted: self.wanted,
            keep: !innermost.is_empty(),
            written_out: self.written_out.union(&innermost).copied().collect(),
            ..Loops::default()
        })
    }

    /// With the bounds that came back in place of those that were tried. `None`: they are the same.
    fn narrowed(&self) -> Option<Loops> {
        let mut narrowed = self.clone();
        let mut has_changed = false;
        for (key, plan) in &mut narrowed.plans {
            for (place, shape) in &mut plan.values {
                let Shape::Kind(_, parts) = shape else {
                    continue;
                };
                for (number, part) in parts.iter_mut().enumerate() {
                    let seen = self.seen.get(&(key.clone(), *place, number));
                    if let (Some(part), Some(seen)) = (part, seen) {
                        has_changed |= part != seen;
                        *part = *seen;
                    }
                }
            }
        }
        has_changed.then_some(narrowed)
    }
}

/// The heads of the loops of a function that stay loops.
pub fn kept(loops: &Loops, code: usize, flow: &Flow) -> BTreeSet<usize> {
    let heads = flow.nesting.loops.iter().filter_map(|heads| heads.last());
    let is_kept = |head: &usize| {
        let slot = flow.blocks[*head].start;
        let is_call = false;
        let id = LoopId {
            code,
            slot,
            is_call,
        };
        loops.keeps(id) && !flow.entered_elsewhere.contains(head)
    };
    heads.copied().filter(is_kept).collect()
}

/// Lifts until what ways back bring is what loops' heads take for granted.
pub fn settle<'a>(mut loops: Loops, lift: impl Fn(Loops) -> Lifter<'a>) -> Lifter<'a> {
    for times in 0.. {
        loops.begin();
        let lifter = lift(loops);
        if lifter.loops.grown.is_empty() {
            return narrow(lifter, lift);
        }
        loops = lifter.loops;
        if times > MOST_TIMES {
            let grown = std::mem::take(&mut loops.grown);
            loops.written_out.extend(grown.into_values());
        }
    }
    unreachable!("in the end all loops are written out")
}

fn narrow<'a>(lifter: Lifter<'a>, lift: impl Fn(Loops) -> Lifter<'a>) -> Lifter<'a> {
    let Some(mut loops) = lifter.loops.narrowed() else {
        return lifter;
    };
    loops.begin();
    let narrower = lift(loops);
    let is_good =
        narrower.loops.grown.is_empty() && narrower.problems.len() <= lifter.problems.len();
    if is_good {
        narrower
    } else {
        lifter
    }
}

/// What ways back bring to a loop's head that its ways in do not.
#[derive(Clone, Default)]
struct Plan {
    values: BTreeMap<Place, Shape>,
    /// Words of the stack, by first byte, with their number of bytes and bounds.
    words: BTreeMap<u32, (u32, Option<Range>)>,
    /// Bytes of the stack that are written in the loop.
    written: Vec<u32>,
    /// Tail calls are not the same in each round.
    calls_vary: bool,
    /// How often it has grown.
    times: u32,
}

#[derive(Clone)]
enum Shape {
    /// One kind of thing. Each of its numbers: as it comes in, or within bounds.
    Kind(AbstractValue, Vec<Option<Range>>),
    /// Several kinds, or a part of one.
    Mixed,
}

impl Plan {
    /// The ways back, as one more way in beside one whose state is given.
    fn way(&self, builder: &mut Builder, from: &State) -> Edge {
        let block = builder.program.make_block();
        let mut state = from.clone();
        // Before the pointers, which may come to stand where a number was.
        for (offset, (bytes, range)) in &self.words {
            state.stack.loosen(*offset, *bytes, *range);
        }
        state.stack.write_somehow(&self.written);
        for (place, shape) in &self.values {
            let value = match shape {
                Shape::Mixed => AbstractValue::Unusable("another kind of thing in each round"),
                Shape::Kind(kind, ranges) => {
                    let known = from.at(*place).filter(|value| value.kind() == kind.kind());
                    let widths = kind.parts(place.width());
                    let known = known.map(|value| value.parts(place.width()));
                    let parts: Vec<Operand> = (0..ranges.len())
                        .map(|part| match (ranges[part], &known) {
                            (None, Some(known)) => known[part].0,
                            (range, _) => any_number(builder, block, widths[part].1, range),
                        })
                        .collect();
                    kind.with_parts(&parts)
                }
            };
            state.put(*place, value);
        }
        if self.calls_vary {
            state.tail_calls = None;
        }
        Edge {
            from: block,
            side: Side::Jump,
            state,
            args: Vec::new(),
        }
    }
}

/// A number of which only bounds are known; nothing makes it.
fn any_number(builder: &mut Builder, block: Block, width: u32, range: Option<Range>) -> Operand {
    let value = builder.program.add_param(block, width);
    if let Some(range) = range {
        builder.limit(value, range);
    }
    Operand::Value(value)
}

/// The head of a loop that has been lifted.
pub struct Head {
    block: Block,
    /// What is known there in every round.
    state: State,
    id: LoopId,
    /// Numbers that the loop compares with, and those beside them.
    steps: Vec<i64>,
}

impl Lifter<'_> {
    /// The control flow of the function that begins at a slot.
    pub(super) fn flow(&mut self, code: usize, start: usize) -> Rc<Flow> {
        self.codes[code].flow(start)
    }

    /// The same, with the heads of its loops that stay loops.
    pub(super) fn flow_with_loops(
        &mut self,
        code: usize,
        start: usize,
    ) -> (Rc<Flow>, BTreeSet<usize>) {
        let flow = self.flow(code, start);
        let kept = kept(&self.loops, code, &flow);
        (flow, kept)
    }

    /// Adds what the ways back bring to the ways into a loop's head.
    pub(super) fn add_ways_back(&mut self, instance: &Instance, edges: &mut Vec<Edge>) {
        if let (Some(_), Some(plan)) = (instance.kept_loop(), self.loops.plans.get(&instance.key)) {
            let way = plan.way(&mut self.builder, &edges[0].state);
            edges.push(way);
        }
    }

    /// Notes what is known at the head of a loop that stays one.
    pub(super) fn note_head(&mut self, instance: &Instance, block: Block) {
        let Some(id) = instance.kept_loop() else {
            return;
        };
        let head = Head {
            block,
            state: self.state.clone(),
            id,
            steps: instance.compared_numbers(),
        };
        self.heads.insert(instance.key.clone(), Rc::new(head));
    }

    /// Where a way back leads to, if that is what this is; its arguments are set.
    pub(super) fn way_back(&mut self, instance: &Instance, state: &State) -> Option<Target> {
        let head = self.heads.get(&instance.key)?.clone();
        let plan = self.loops.plans.remove(&instance.key);
        let params = self.builder.program.blocks[head.block].params.clone();
        let mut back = WayBack {
            head: &head,
            state,
            args: vec![None; params.len()],
            plan: plan.unwrap_or_default(),
            has_grown: false,
            seen: Vec::new(),
            is_lost: false,
            builder: &mut self.builder,
        };
        back.compare();
        let WayBack {
            args,
            mut plan,
            has_grown,
            seen,
            is_lost,
            ..
        } = back;
        if is_lost {
            self.loops.trouble(instance.kept_loops());
        }
        if has_grown {
            let grown = self.loops.grown.insert(instance.key.clone(), head.id);
            plan.times += u32::from(grown.is_none());
        }
        self.loops.plans.insert(instance.key.clone(), plan);
        for (place, part, range) in seen {
            let seen = self.loops.seen.entry((instance.key.clone(), place, part));
            seen.and_modify(|all| *all = all.hull(range))
                .or_insert(range);
        }
        self.builder.program.blocks[head.block].bound = Some(Bound::Unknown);
        let from = self.builder.block;
        let args = params.into_iter().zip(args).map(|(param, arg)| {
            let width = self.builder.program.width(param);
            self.builder
                .value_in(from, arg.unwrap_or(Operand::Const(0)), width)
        });
        Some(Target {
            block: head.block,
            args: args.collect(),
        })
    }
}

/// A way back, beside what the head takes for granted.
struct WayBack<'a> {
    builder: &'a mut Builder,
    head: &'a Head,
    state: &'a State,
    /// For the head's parameters.
    args: Vec<Option<Operand>>,
    plan: Plan,
    has_grown: bool,
    seen: Vec<(Place, usize, Range)>,
    /// Null checks have been forgotten on the way, which cannot be.
    is_lost: bool,
}

impl WayBack<'_> {
    fn compare(&mut self) {
        let (head, state) = (&self.head.state, self.state);
        let mut places: BTreeSet<Place> = head.places().into_iter().collect();
        places.extend(state.places());
        for place in places {
            self.compare_place(place);
        }
        self.compare_stack();
        if head.tail_calls.is_some() && head.tail_calls != state.tail_calls {
            self.plan.calls_vary = true;
            self.has_grown = true;
        }
        let mut decided = head.decided.iter();
        self.is_lost = !decided.all(|(hit, bit)| state.decided.get(hit) == Some(bit));
    }

    fn compare_place(&mut self, place: Place) {
        let (known, found) = (self.head.state.at(place), self.state.at(place));
        let (known, found) = match (place, known, found) {
            (_, None, None) => return,
            (Place::End | Place::Keep, known, found) if known.is_none() || found.is_none() => {
                let length = AbstractValue::Scalar(self.builder.original_length());
                (known.unwrap_or(length), found.unwrap_or(length))
            }
            (Place::Spill(slot), Some(known), _) if takes_all(known) => {
                let bytes = |state: &State| state.stack.spills.get(&slot).map_or(0, |s| s.bytes);
                if bytes(self.state) & !bytes(&self.head.state) != 0 {
                    self.mix(place);
                }
                return;
            }
            // A slot holds a pointer in some rounds only.
            (_, None, _) | (_, _, None) => return self.mix(place),
            (_, Some(known), Some(found)) => (known, found),
        };
        // There is no program after an error.
        if takes_all(known) || found == AbstractValue::Reported {
            return;
        }
        let found = self.as_kind_of(known, found);
        if known.kind() == found.kind() {
            self.compare_parts(place, known, found);
        } else {
            let parts = found.parts(place.width()).into_iter();
            let ranges = parts.map(|(part, width)| Some(self.range(part, width)));
            let ranges = ranges.collect();
            self.grow(place, found, ranges);
        }
    }

    fn mix(&mut self, place: Place) {
        self.plan.values.insert(place, Shape::Mixed);
        self.has_grown = true;
    }

    /// A null pointer is a pointer where the head has one, and else a number.
    fn as_kind_of(&self, known: AbstractValue, found: AbstractValue) -> AbstractValue {
        let zero = Operand::Const(0);
        match (known, self.state.simplify(found)) {
            _ if known.kind() == found.kind() => found,
            (AbstractValue::MapValue(pointer), AbstractValue::Scalar(Operand::Const(0))) => {
                AbstractValue::MapValue(MapPointer {
                    map: pointer.map,
                    hit: zero,
                    entry: zero,
                    offset: zero,
                    is_stale: false,
                })
            }
            (_, simple) => simple,
        }
    }

    fn compare_parts(&mut self, place: Place, known: AbstractValue, found: AbstractValue) {
        let parts = std::iter::zip(known.parts(place.width()), found.parts(place.width()));
        let mut grows = found.is_stale() && !known.is_stale();
        let mut ranges = Vec::new();
        for (number, ((known, width), (found, _))) in parts.enumerate() {
            let range = self.range(found, width);
            let fits = match self.parameter(known) {
                Some(parameter) => {
                    self.args[parameter] = Some(found);
                    self.seen.push((place, number, range));
                    let bounds = self.builder.range_in(&Facts::default(), known, width);
                    bounds.hull(range) == bounds
                }
                None => known == found,
            };
            grows |= !fits;
            ranges.push((!fits).then_some(range));
        }
        if grows {
            self.grow(place, found, ranges);
        }
    }

    /// Which of the head's parameters an operand is.
    fn parameter(&self, operand: Operand) -> Option<usize> {
        let Operand::Value(value) = operand else {
            return None;
        };
        match self.builder.program.values[value].def {
            ValueDef::Param(block, index) if block == self.head.block => Some(index as usize),
            _ => None,
        }
    }

    fn range(&self, operand: Operand, width: u32) -> Range {
        self.builder.range_in(&self.state.facts, operand, width)
    }

    /// A step further than bounds have grown.
    fn widened(&self, range: Range) -> Range {
        match self.plan.times < PATIENCE {
            true => range.widened(&self.head.steps),
            false => Range::full(range.width),
        }
    }

    fn grow(&mut self, place: Place, found: AbstractValue, ranges: Vec<Option<Range>>) {
        self.has_grown = true;
        let ranges: Vec<Option<Range>> = ranges
            .into_iter()
            .map(|range| range.map(|range| self.widened(range)))
            .collect();
        let shape = match self.plan.values.remove(&place) {
            _ if takes_all(found) => Shape::Mixed,
            None => Shape::Kind(found, ranges),
            Some(Shape::Kind(kind, old)) if kind.kind() == found.kind() => {
                let parts = std::iter::zip(old, ranges).map(|(old, new)| match (old, new) {
                    (Some(old), Some(new)) => Some(self.widened(old.hull(new))),
                    (old, new) => old.or(new),
                });
                let parts = parts.collect();
                Shape::Kind(if found.is_stale() { found } else { kind }, parts)
            }
            Some(_) => Shape::Mixed,
        };
        self.plan.values.insert(place, shape);
    }

    fn compare_stack(&mut self) {
        let (head, state) = (self.head, self.state);
        for (offset, word) in head.state.stack.words() {
            let found = {
                let bounds = |operand, width| self.range(operand, width);
                state.stack.content(offset, word.bytes, &bounds)
            };
            let range = match (word.content, found) {
                (known, Some((found, _))) if known == found => continue,
                (Content::Within(known), Some((_, range))) if known.hull(range) == known => {
                    continue;
                }
                (Content::Within(known), Some((_, range))) => Some(self.widened(known.hull(range))),
                (_, Some((_, range))) => Some(self.widened(range)),
                (_, None) => None,
            };
            self.loosen(offset, word, range);
        }
        let written = state.stack.written_beside(&head.state.stack);
        if !written.is_empty() {
            self.plan.written.extend(written);
            self.has_grown = true;
        }
    }

    fn loosen(&mut self, offset: u32, word: Word, range: Option<Range>) {
        let range = range.filter(|range| !range.is_full());
        let known = self.plan.words.get(&offset);
        let range = match known {
            None => range,
            Some((bytes, _)) if *bytes != word.bytes => None,
            Some((_, known)) => known.zip(range).map(|(known, range)| known.hull(range)),
        };
        self.plan.words.insert(offset, (word.bytes, range));
        self.has_grown = true;
    }
}

/// Whether it is of no use, whatever it is.
fn takes_all(value: AbstractValue) -> bool {
    matches!(
        value,
        AbstractValue::Uninitialised | AbstractValue::Unusable(_) | AbstractValue::Reported
    )
}
