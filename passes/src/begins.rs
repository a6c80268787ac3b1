//! Where packets begin that leave with bytes in front: [`Sent::begins`].
//!
//! ```text
//! block1:                                  block2:
//!     jump block3(34, 1)                       jump block3(14, 0)
//! block3(v1:16, v2:1):
//!     v5 = select v2, 34, 14
//!     emit … from v1 … front … length v5                            →   begins 0
//! ```
//!
//! What was read and what is put in its place are two sums, and each can be many numbers; which of them come together only the way
//! says on which a packet went. So the program is walked in the order of its blocks, with all combinations of what its parameters can be
//! on the ways to a block. A condition of which nothing is known is tried both ways. Where that becomes too much, nothing is said.
//!
//! If they always begin at one place, what is left of them is told by the length of the front alone, and nothing has to be moved.

mod forms;

use forms::{Form, Unknown, Unknowns, MOST_BITS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Block, Op, Program, Target, Terminator, Value, ValueDef, OFFSET_BITS};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Combinations that are followed, of all blocks.
const MOST_STATES: usize = 8_000;
/// Different places where a packet may begin; more say little.
const MOST_PLACES: usize = 64;
/// Operations that are looked at for one value, one in another.
const MOST_DEPTH: u32 = 400;

/// What is known on a way, of what matters behind it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct State {
    params: BTreeMap<Value, Form>,
    facts: BTreeMap<Unknown, bool>,
}

/// A value depends on something that is not known yet: this, which is tried both ways.
struct Undecided(Option<Unknown>);

/// Says where packets begin, of programs in the control-flow phase. True when something was found.
pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let is_asked = |block: &Block| unsaid(program, *block).is_some();
    if !program.order.iter().any(is_asked) {
        return Ok(false);
    }
    let found = Walk::new(program, true).walk();
    let found = found.or_else(|| Walk::new(program, false).walk());
    let mut changed = false;
    for (block, places) in found.unwrap_or_default() {
        let places: Vec<i16> = places.into_iter().collect();
        let place = (places.len() == 1).then(|| places[0]);
        if let Some(place) = place {
            begin_at(program, block, place);
        }
        if let Terminator::Emit(emit) = &mut program.blocks[block].terminator {
            emit.packet.begins = places;
            changed = true;
        }
    }
    Ok(changed)
}

/// What says where packets begin at an end of the program: they do `length` in front of `from`.
#[derive(Clone, Copy)]
struct Unsaid {
    forwarded: Value,
    from: Value,
    length: Value,
}

/// The end of a block, if its packets have bytes in front and nobody has said where they begin.
fn unsaid(program: &Program, block: Block) -> Option<Unsaid> {
    match &program.blocks[block].terminator {
        Terminator::Emit(emit) if emit.packet.begins.is_empty() => {
            let leaves = emit.packet.leaves?;
            Some(Unsaid {
                forwarded: emit.forwarded,
                from: leaves.from,
                length: leaves.front?.length,
            })
        }
        _ => None,
    }
}

/// What is left of the packet begins behind the front, which begins here.
fn begin_at(program: &mut Program, block: Block, place: i16) {
    let Some(Unsaid { length, .. }) = unsaid(program, block) else {
        return;
    };
    let from = match place {
        0 => length,
        _ => {
            let number = Bits::from_u64(u64::from(place as u16), OFFSET_BITS);
            let number = program.append_const(block, number);
            let args = vec![length, number];
            program.append1(block, Op::Add, args, OFFSET_BITS, None)
        }
    };
    if let Terminator::Emit(emit) = &mut program.blocks[block].terminator {
        if let Some(leaves) = &mut emit.packet.leaves {
            leaves.from = from;
        }
    }
}

struct Walk<'a> {
    program: &'a Program,
    unknowns: Unknowns,
    /// Parameters that decide something at or behind each block.
    lives: HashMap<Block, BTreeSet<Value>>,
    /// Values of one bit that places are computed with.
    deciding: BTreeSet<Value>,
    /// Whether conditions of branches are followed that need parameters.
    follows: bool,
    states: HashMap<Block, BTreeSet<State>>,
    count: usize,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, follows: bool) -> Walk<'a> {
        let mut walk = Walk {
            program,
            unknowns: Unknowns::default(),
            lives: HashMap::new(),
            deciding: BTreeSet::new(),
            follows,
            states: HashMap::new(),
            count: 0,
        };
        walk.find_lives();
        walk
    }

    fn find_lives(&mut self) {
        let program = self.program;
        for &block in program.order.iter().rev() {
            let mut wanted: Vec<Value> = Vec::new();
            if let Some(end) = unsaid(program, block) {
                wanted.extend([end.forwarded, end.from, end.length]);
            }
            let terminator = &program.blocks[block].terminator;
            let mut lives = BTreeSet::new();
            for target in terminator.targets() {
                let behind = self.lives.get(&target.block);
                let params = &program.blocks[target.block].params;
                for value in behind.into_iter().flatten() {
                    match params.iter().position(|param| param == value) {
                        Some(at) => wanted.push(target.args[at]),
                        None => {
                            lives.insert(*value);
                        }
                    }
                }
            }
            let seen = cone(program, wanted);
            let is_param =
                |value: &Value| matches!(program.values[*value].def, ValueDef::Param(..));
            let is_bit = |value: &Value| program.width(*value) == 1;
            lives.extend(seen.iter().copied().filter(is_param));
            self.deciding.extend(seen.into_iter().filter(is_bit));
            if let Terminator::Branch { cond, .. } = terminator {
                let params = cone(program, vec![*cond]).into_iter().filter(is_param);
                let params: Vec<Value> = params.collect();
                if self.follows && params.iter().all(is_bit) {
                    lives.extend(params);
                }
            }
            self.lives.insert(block, lives);
        }
    }

    /// Where packets begin at each end that does not say it; `None`: that would be too much.
    fn walk(mut self) -> Option<Vec<(Block, BTreeSet<i16>)>> {
        let entry = *self.program.order.first()?;
        self.states
            .insert(entry, BTreeSet::from([State::default()]));
        let mut found = Vec::new();
        for &block in &self.program.order {
            let mut places = BTreeSet::new();
            let mut open: Vec<State> = self
                .states
                .remove(&block)
                .unwrap_or_default()
                .into_iter()
                .collect();
            while let Some(state) = open.pop() {
                self.count += 1;
                if self.count > MOST_STATES || places.len() > MOST_PLACES {
                    return None;
                }
                match self.step(block, &state, &mut places) {
                    Ok(()) => {}
                    Err(Undecided(None)) => return None,
                    Err(Undecided(Some(unknown))) => {
                        for fact in [false, true] {
                            let mut state = state.clone();
                            state.facts.insert(unknown, fact);
                            open.push(state);
                        }
                    }
                }
            }
            if unsaid(self.program, block).is_some() && !places.is_empty() {
                found.push((block, places));
            }
        }
        Some(found)
    }

    /// One block on one way.
    fn step(
        &mut self,
        block: Block,
        state: &State,
        places: &mut BTreeSet<i16>,
    ) -> Result<(), Undecided> {
        let program = self.program;
        let mut known = HashMap::new();
        match &program.blocks[block].terminator {
            Terminator::Jump(target) => {
                let next = self.next(target, state, &mut known)?;
                self.states.entry(target.block).or_default().insert(next);
            }
            Terminator::Branch { cond, yes, no } => {
                // Whatever it depends on: it can be both.
                let condition = self.value(*cond, state, &mut known, 0).ok();
                let is = condition.as_ref().and_then(Form::known);
                let mut nexts = Vec::new();
                for (taken, target) in [(true, yes), (false, no)] {
                    if is.is_some_and(|is| is != u64::from(taken)) {
                        continue;
                    }
                    let mut state = state.clone();
                    if let (Some(form), true) = (&condition, self.deciding.contains(cond)) {
                        state.facts.extend(self.unknowns.fact(form, taken));
                    }
                    let next = self.next(target, &state, &mut HashMap::new())?;
                    nexts.push((target.block, next));
                }
                for (block, next) in nexts {
                    self.states.entry(block).or_default().insert(next);
                }
            }
            _ => {
                if let Some(end) = unsaid(program, block) {
                    let forwarded = self.value(end.forwarded, state, &mut known, 0)?;
                    if forwarded.known() != Some(0) {
                        let from = self.value(end.from, state, &mut known, 0)?;
                        let length = self.value(end.length, state, &mut known, 0)?;
                        let place = from.plus(&length, u64::MAX).known();
                        places.insert(place.ok_or(Undecided(None))? as u16 as i16);
                    }
                }
            }
        }
        Ok(())
    }

    /// What is known where a jump goes.
    fn next(
        &mut self,
        target: &Target,
        state: &State,
        known: &mut HashMap<Value, Form>,
    ) -> Result<State, Undecided> {
        let mut next = State {
            params: BTreeMap::new(),
            facts: state.facts.clone(),
        };
        let params = &self.program.blocks[target.block].params;
        for value in self.lives[&target.block].clone() {
            let form = match params.iter().position(|param| *param == value) {
                Some(at) => Some(self.value(target.args[at], state, known, 0)?),
                None => state.params.get(&value).cloned(),
            };
            next.params.extend(form.map(|form| (value, form)));
        }
        Ok(next)
    }

    fn value(
        &mut self,
        value: Value,
        state: &State,
        known: &mut HashMap<Value, Form>,
        depth: u32,
    ) -> Result<Form, Undecided> {
        if let Some(form) = known.get(&value) {
            return Ok(form.clone());
        }
        let program = self.program;
        let width = program.width(value);
        if width > MOST_BITS || depth > MOST_DEPTH {
            // Nothing is computed of so wide a value but bits that nobody knows.
            return Err(Undecided(None));
        }
        let form = match (state.params.get(&value), program.def_inst(value)) {
            (Some(form), _) => form.with(&state.facts),
            (None, Some(data)) if data.op == Op::Select => {
                let condition = self.value(data.args[0], state, known, depth + 1)?;
                match condition.known() {
                    Some(taken) => {
                        let arm = data.args[if taken == 1 { 1 } else { 2 }];
                        self.value(arm, state, known, depth + 1)?
                    }
                    None => return Err(Undecided(self.unknowns.decisive(&condition))),
                }
            }
            (None, Some(data)) if is_followed(program, &data.op, &data.args) => {
                let mut args = Vec::with_capacity(data.args.len());
                for arg in &data.args {
                    args.push(self.value(*arg, state, known, depth + 1)?);
                }
                self.unknowns.made(&data.op, args, width).with(&state.facts)
            }
            _ => self.unknowns.value(value, width).with(&state.facts),
        };
        known.insert(value, form.clone());
        Ok(form)
    }
}

/// Operations whose arguments say something of the result.
fn is_followed(program: &Program, op: &Op, args: &[Value]) -> bool {
    let is_narrow = |value: &Value| program.width(*value) <= MOST_BITS;
    op.is_pure() && !matches!(op, Op::Input(_)) && args.iter().all(is_narrow)
}

/// The values that these are computed of.
fn cone(program: &Program, mut open: Vec<Value>) -> BTreeSet<Value> {
    let mut seen = BTreeSet::new();
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match program.def_inst(value) {
            Some(data) if is_followed(program, &data.op, &data.args) => open.extend(&data.args),
            _ => {}
        }
    }
    seen
}
