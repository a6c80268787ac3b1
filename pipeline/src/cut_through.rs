//! Whether packets can enter a program before all of them is in, and with how many bytes: once these are there, nothing that the
//! program does depends on how long the packet is.
//!
//! The entrance tells a program the length of a packet that goes on behind so many bytes as if it ended there. That is right if the
//! program does the same for all lengths from there on. So for each value it is asked from which length on it stays as it is:
//!
//! ```text
//! v1 = ult length, 34          from 34 on            whether the packet has a header
//! v2 = ult length, v0          from 60 on            v0 is 60 at the most (facts): a header of variable length
//! v3 = add v9, length          never                 a counter of bytes
//! ```
//!
//! What follows from the length alone is computed for every length. Where a compare has something else beside it, what counts is on which
//! side of all that this can be the length is. All else is known when all that it follows from is. What a packet leaves behind (tables,
//! its bytes, outputs, its way) must be known in the end; that its end is where it came in with its end is the exit's business.
//!
//! The argument is about what the program *does*: what later steps make of the operations changes nothing in it.

use crate::delay::is_wiring;
use crate::moves::{is_length, packet_moves};
use crate::refuse::{place_of, whole};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::eval::eval_pure;
use hardpath_ir::{Bits, Emit, Input, Inst, InstData, Op, Program, Terminator, Value, ValueDef};
use hardpath_passes::facts::{FactMap, Facts};
use std::collections::{HashSet, VecDeque};

/// So many bytes are awaited at the most, and as many as the program reads: a packet that is longer would wait almost as long as for its
/// end.
pub const MOST_BYTES: u32 = 256;
/// Lengths that an entrance can tell reach from the longest packet to the end of its beat.
const WIDEST_BEAT: u32 = 64;
/// Wider values are not computed for every length.
const MOST_BITS: u32 = 128;

/// The bytes of a packet with which it can enter the program (dataflow form): from this length on nothing depends on it.
///
/// # Errors
/// All that does, and what needs the whole packet, each with its place.
///
/// `end`: [`end`] of the program as it was lifted.
pub fn bytes(program: &Program, end: Option<Place>) -> Result<u32, Vec<Diagnostic>> {
    let mut errors = needs_whole(program, end);
    let limit = window(program).max(MOST_BYTES);
    let asking = Asking::new(program);
    let (mut most, mut places) = (program.limits.shortest.max(1), Vec::new());
    for (inst, value) in roots(program) {
        let from = asking.from(value);
        if from <= limit {
            most = most.max(from);
            continue;
        }
        let place = asking.place(value, inst, limit);
        if !places.contains(&place) {
            errors.push(needs_length(place.clone(), limit));
            places.push(place);
        }
    }
    match errors.is_empty() {
        true => Ok(most.max(window(program))),
        false => Err(errors),
    }
}

/// Bytes at the front of a packet that the program reads.
fn window(program: &Program) -> u32 {
    let insts = program.blocks[program.region()].insts.iter();
    let loads = insts
        .map(|inst| &program.insts[*inst])
        .filter(|data| data.op == Op::PacketLoad);
    let ends = loads.map(|data| {
        let offset = program.as_const(data.args[0]).map_or(0, Bits::low_u64);
        offset as u32 + program.width(data.results[0]) / 8
    });
    ends.max().unwrap_or(0)
}

/// What is to be said of each design whose packets enter ahead of their ends.
pub fn warning(program: &Program) -> Diagnostic {
    let message = "with --cut-through a frame that is found bad at its end has gone through the program by then: what it did to maps stays, and it leaves with its error mark";
    Diagnostic::warning("cut-through", message)
        .at(whole(program))
        .help("let whoever takes the packets drop a frame whose last beat has the highest bit of m_axis_tuser; leave --cut-through out where maps must see good frames only")
}

fn emit_of(program: &Program) -> Option<&Emit> {
    match &program.blocks[program.region()].terminator {
        Terminator::Emit(emit) => Some(emit),
        _ => None,
    }
}

/// Where a program, as it was lifted, says that packets end elsewhere than they came in, if it does: passes make one of what several places
/// ask about an end.
pub fn end(program: &Program) -> Option<Place> {
    let mut ends = Vec::new();
    for block in program.all_blocks() {
        if let Terminator::Emit(emit) = &program.blocks[block].terminator {
            ends.extend(emit.packet.leaves.map(|leaves| leaves.end));
        }
    }
    from_source(program, ends)
}

/// What cannot be done before all of a packet is in, whatever its length. `end`: where its end moves, if it does.
fn needs_whole(program: &Program, end: Option<Place>) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let insts = &program.blocks[program.region()].insts;
    for inst in insts {
        if program.insts[*inst].op == Op::Input(Input::Sum) {
            let message = "a sum over the whole packet is known when all of it is in, and with --cut-through the program has begun by then";
            errors.push(
                Diagnostic::refused("cut-through-payload", message)
                    .at(near(program, *inst))
                    .help("leave --cut-through out, or the checksum over the payload: one over headers, or one that is only corrected for what has changed, needs no payload"),
            );
        }
    }
    let Some(emit) = emit_of(program) else {
        return errors;
    };
    let moves = packet_moves(program);
    if moves.is_some_and(|moves| moves.has_end || moves.grows) {
        let message = "the program moves the packet's end, and with --cut-through it leaves before its end is in";
        errors.push(
            Diagnostic::refused("cut-through-tail", message)
                .at(end.unwrap_or_else(|| whole(program)))
                .help("leave --cut-through out, or the end where it is; the beginning may move"),
        );
    }
    if !emit.each.is_empty() || !emit.copies.is_empty() {
        let message = "a packet that leaves several times must be there as a whole, and with --cut-through it leaves before its end is in";
        let each = emit.each.iter().map(|each| each.when);
        let when = each.chain(emit.copies.iter().map(|copy| copy.when));
        errors.push(
            Diagnostic::refused("cut-through-copies", message)
                .at(from_source(program, when.collect()).unwrap_or_else(|| whole(program)))
                .help("leave one of both out"),
        );
    }
    errors
}

fn needs_length(place: Place, limit: u32) -> Diagnostic {
    let message = format!(
        "this depends on the packet's length behind its first {limit} bytes, and with --cut-through the program begins before more of it is in"
    );
    Diagnostic::refused("cut-through-length", message)
        .at(place)
        .help("leave --cut-through out, or the length: whether a packet has the bytes that the program reads is known in time, how many it has in all is not")
}

fn def(program: &Program, value: Value) -> Option<Inst> {
    match program.values[value].def {
        ValueDef::Result(inst, _) => Some(inst),
        ValueDef::Param(..) => None,
    }
}

/// The place of the nearest instruction that values follow from and whose place is known.
fn from_source(program: &Program, values: Vec<Value>) -> Option<Place> {
    let predecessors = program.predecessors();
    let mut seen = HashSet::new();
    let mut next = VecDeque::from(values);
    while let Some(value) = next.pop_front() {
        if !seen.insert(value) {
            continue;
        }
        let inst = match program.values[value].def {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Param(block, index) => {
                let from = predecessors[block].iter();
                let targets = from.flat_map(|from| program.blocks[*from].terminator.targets());
                let here = targets.filter(|target| target.block == block);
                next.extend(here.map(|target| target.args[index as usize]));
                continue;
            }
        };
        let data = &program.insts[inst];
        if let Some(place) = data.place.filter(|_| !is_wiring(&data.op)) {
            return Some(place_of(program, place));
        }
        next.extend(&data.args);
    }
    None
}

/// Where an instruction comes from; the program where that is not known.
fn near(program: &Program, inst: Inst) -> Place {
    match program.insts[inst].place {
        Some(place) => place_of(program, place),
        None => whole(program),
    }
}

/// What must be known in the end, with the instruction that wants it; `None`: the end of the program.
fn roots(program: &Program) -> Vec<(Option<Inst>, Value)> {
    let region = &program.blocks[program.region()];
    let mut all = Vec::new();
    for inst in &region.insts {
        let data = &program.insts[*inst];
        if !data.op.is_pure() {
            let uses = data.args.iter().chain(&data.guard);
            all.extend(uses.map(|value| (Some(*inst), *value)));
        }
    }
    // The exit has the packet's own end from the entrance.
    let uses = region.terminator.uses().into_iter();
    let own_end = |value: &Value| is_length(program, *value) && ends_with(program, *value);
    all.extend(
        uses.filter(|value| !own_end(value))
            .map(|value| (None, value)),
    );
    all
}

/// Whether a value is where a packet ends as it came in, and nothing else of the end of the program.
fn ends_with(program: &Program, value: Value) -> bool {
    let Some(emit) = emit_of(program) else {
        return false;
    };
    let Some(leaves) = emit.packet.leaves else {
        return false;
    };
    let ends = [leaves.end, leaves.zeros];
    let of_end = ends.iter().filter(|end| **end == value).count();
    let of_all = emit.uses().iter().filter(|other| **other == value).count();
    of_end == of_all
}

/// How a value depends on the length.
#[derive(Clone, Default)]
enum On {
    /// Not at all.
    #[default]
    Nothing,
    /// It follows from nothing else: its value for each length from 0 on.
    Alone(Vec<Bits>),
    /// From this length on it does not.
    From(u32),
}

struct Asking<'a> {
    program: &'a Program,
    on: SecondaryMap<Value, On>,
}

impl<'a> Asking<'a> {
    fn new(program: &'a Program) -> Asking<'a> {
        let mut asking = Asking {
            program,
            on: SecondaryMap::new(),
        };
        let facts = FactMap::new(program);
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            // What an effect gives follows from what it is given, and that must be known anyway.
            if !data.op.is_pure() {
                continue;
            }
            for result in &data.results {
                asking.on[*result] = asking.of(data, *result, &facts);
            }
        }
        asking
    }

    /// The longest length that an entrance may tell.
    fn longest(&self) -> u32 {
        self.program.limits.longest.next_multiple_of(WIDEST_BEAT)
    }

    /// From which length on a value does not depend on it.
    fn from(&self, value: Value) -> u32 {
        match &self.on[value] {
            On::Nothing => 0,
            On::Alone(values) => settled(values.len(), |at| &values[at]),
            On::From(bytes) => *bytes,
        }
    }

    fn of(&self, data: &InstData, result: Value, facts: &FactMap) -> On {
        let width = self.program.width(result);
        if data.op == Op::Input(Input::Length) {
            let lengths = 0..=u64::from(self.longest());
            return On::Alone(
                lengths
                    .map(|length| Bits::from_u64(length, width))
                    .collect(),
            );
        }
        if data
            .args
            .iter()
            .all(|arg| matches!(self.on[*arg], On::Nothing))
        {
            return On::Nothing;
        }
        if let Some(values) = self.computed(data, width) {
            return On::Alone(values);
        }
        let from = self.compare(data, facts).unwrap_or_else(|| {
            let all = data.args.iter().map(|arg| self.from(*arg));
            all.max().unwrap_or(0)
        });
        On::From(from)
    }

    /// For every length, what follows from it alone.
    fn computed(&self, data: &InstData, width: u32) -> Option<Vec<Bits>> {
        let narrow = |value: &Value| self.program.width(*value) <= MOST_BITS;
        if width > MOST_BITS || !data.args.iter().all(narrow) {
            return None;
        }
        let mut args = Vec::new();
        for arg in &data.args {
            args.push(match (&self.on[*arg], self.program.as_const(*arg)) {
                (On::Alone(values), _) => Ok(values),
                (_, Some(constant)) => Err(constant),
                _ => return None,
            });
        }
        let value = |length: usize| {
            let at = |arg: &Result<&Vec<Bits>, &Bits>| match arg {
                Ok(values) => values[length].clone(),
                Err(constant) => (*constant).clone(),
            };
            let args: Vec<Bits> = args.iter().map(at).collect();
            eval_pure(&data.op, &args, width)
        };
        (0..=self.longest() as usize).map(value).collect()
    }

    /// Of a compare of what follows from the length alone with something else.
    fn compare(&self, data: &InstData, facts: &FactMap) -> Option<u32> {
        let [a, b] = data.args[..] else {
            return None;
        };
        let (values, other, first) = match (&self.on[a], &self.on[b]) {
            (On::Alone(_), On::Alone(_)) => return None,
            (On::Alone(values), _) => (values, b, true),
            (_, On::Alone(values)) => (values, a, false),
            _ => return None,
        };
        let from = self.from(other);
        let other = facts.get(other)?;
        let sides: Option<Vec<Side>> = values
            .iter()
            .map(|value| side(&data.op, number(value)?, &other, first))
            .collect();
        let sides = sides?;
        Some(settled(sides.len(), |at| &sides[at]).max(from))
    }

    /// Where the length comes into a value that depends on it for too long: as near to the length as the source is known.
    fn place(&self, value: Value, wanted_by: Option<Inst>, limit: u32) -> Place {
        let program = self.program;
        let mut place = wanted_by.and_then(|inst| program.insts[inst].place);
        let mut at = Some(value);
        while let Some(inst) = at.and_then(|value| def(program, value)) {
            let data = &program.insts[inst];
            // What only takes bits of the length, or widens it, may come from another line that does so, too.
            if !is_wiring(&data.op) || place.is_none() {
                place = data.place.or(place);
            }
            let mut args = data.args.iter().copied();
            at = args.rfind(|arg| self.from(*arg) > limit);
        }
        place.map_or_else(|| whole(program), |place| place_of(program, place))
    }
}

/// Where the length is of all that it is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The compare says this, whatever stands on the other side.
    Says(bool),
    /// It depends on that.
    Among(u128),
}

/// What a compare of `value` with something says. `first`: the value is its first argument.
fn side(op: &Op, value: u128, other: &Facts, first: bool) -> Option<Side> {
    let top = 1u128 << (other.width - 1);
    // With its highest bit inverted a number with sign is in its place among those without.
    let inverts = match op {
        Op::Slt | Op::Sle if (other.min < top) != (other.max < top) => return None,
        Op::Slt | Op::Sle => top,
        _ => 0,
    };
    let [value, min, max] = [value, other.min, other.max].map(|number| number ^ inverts);
    let outside = |below: bool, above: bool| match (below, above) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let says = match op {
        Op::Eq | Op::Ne => (value < min || value > max).then_some(*op == Op::Ne),
        Op::Ult | Op::Slt if first => outside(value < min, value >= max),
        Op::Ule | Op::Sle if first => outside(value <= min, value > max),
        Op::Ult | Op::Slt => outside(value > max, value <= min),
        Op::Ule | Op::Sle => outside(value >= max, value < min),
        _ => return None,
    };
    Some(says.map_or(Side::Among(value), Side::Says))
}

fn number(bits: &Bits) -> Option<u128> {
    match bits.limbs() {
        [low] => Some(u128::from(*low)),
        [low, high] => Some(u128::from(*high) << 64 | u128::from(*low)),
        _ => None,
    }
}

/// The first of so many from which on all are the same.
fn settled<T: PartialEq>(count: usize, at: impl Fn(usize) -> T) -> u32 {
    let Some(last) = count.checked_sub(1) else {
        return 0;
    };
    let differs = (0..last).rev().find(|index| at(*index) != at(last));
    differs.map_or(0, |index| index as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_one_side_of_a_range_are_alike() {
        let other = Facts {
            min: 34,
            max: 60,
            ..Facts::unknown(16)
        };
        let from = |op: Op, first: bool| {
            let sides: Option<Vec<Side>> = (0..2000)
                .map(|length| side(&op, length, &other, first))
                .collect();
            sides.map(|sides| settled(sides.len(), |at| sides[at]))
        };
        for (op, first, bytes) in [
            (Op::Ult, true, Some(60)),
            (Op::Ule, true, Some(61)),
            (Op::Ult, false, Some(61)),
            (Op::Ule, false, Some(60)),
            (Op::Slt, true, Some(60)),
            (Op::Sle, false, Some(60)),
            (Op::Eq, true, Some(61)),
            (Op::Add, true, None),
        ] {
            assert_eq!(from(op.clone(), first), bytes, "{op:?}, {first}");
        }
        // Lengths without 50 of their bytes, against numbers from -9 to -4, and from -4 on.
        let less = |min: i128, max: i128| {
            let other = Facts {
                min: min as u128 & 0xffff,
                max: max as u128 & 0xffff,
                ..Facts::unknown(16)
            };
            let value = |length: u128| (length + 0xffff - 49) & 0xffff;
            let sides: Option<Vec<Side>> = (0..2000)
                .map(|length| side(&Op::Slt, value(length), &other, true))
                .collect();
            sides.map(|sides| settled(sides.len(), |at| sides[at]))
        };
        assert_eq!(less(-9, -4), Some(46));
        assert_eq!(less(2, 12), Some(62));
        assert_eq!(less(-4, 3), None);
        assert_eq!(settled(4, |at| [1, 1, 2, 2][at]), 2);
        assert_eq!(settled(3, |at| [5, 5, 5][at]), 0);
    }
}
