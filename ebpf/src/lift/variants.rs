//! Keeping apart paths on which a register or a stack slot holds different kinds of things.
//!
//! Paths that meet are joined, and a pointer that is joined with something else is of no use behind that place. Most
//! programs never use it there. Where one does, because it knows from something else which of both it is, the program
//! is lifted again, and paths with different kinds of values stay apart:
//!
//! ```text
//! p = cond ? packet + 14 : NULL        block B, p is a packet pointer
//! ...                            ──►   block B again, p is the number 0
//! if (p) use(p)
//! ```
//!
//! Registers count as long as they may be read; a stack slot only where it was found to be needed. Different constants
//! that a function returns are different kinds, too.

use std::collections::{BTreeSet, HashMap};

use super::agenda::{Instance, Invocation, Point};
use super::state::{AbstractValue, Operand, State};
use super::Lifter;

/// A stack slot: the number of the frame, from the outermost one, and the distance from its top in bytes.
pub type FrameSlot = (usize, u32);

/// What is kept apart.
#[derive(Clone, Default)]
pub struct Variants {
    slots: BTreeSet<FrameSlot>,
    /// A number for each combination of kinds.
    numbers: HashMap<Vec<u32>, u32>,
}

/// What could not be used because it was joined with something else.
#[derive(Default)]
pub struct Mixed {
    /// A register or slot was.
    pub is_used: bool,
    /// Slots that were read.
    slots: BTreeSet<FrameSlot>,
}

impl Variants {
    /// Also keeps apart what was mixed. `None`: it has been already.
    pub fn refined(previous: Option<&Variants>, mixed: &Mixed) -> Option<Variants> {
        if !mixed.is_used {
            return None;
        }
        let known = previous.map_or_else(BTreeSet::new, |previous| previous.slots.clone());
        let slots: BTreeSet<FrameSlot> = known.union(&mixed.slots).copied().collect();
        if previous.is_some() && slots == known {
            return None;
        }
        Some(Variants {
            slots,
            numbers: HashMap::new(),
        })
    }

    /// The number of the variant that a state belongs to at the beginning of an instance. The instances of a
    /// `bpf_loop`'s rounds have no variants: no register is in use there.
    pub fn number(&mut self, instance: &Instance, state: &State) -> Option<u32> {
        let Point::Block(block) = instance.point else {
            return None;
        };
        let block = &instance.invocation.flow.blocks[block];
        let live = block.live_in;
        let mut kinds: Vec<u32> = (0..10)
            .map(|register| match live >> register & 1 {
                0 => 0,
                _ => kind(state.simplify(state.registers[register])),
            })
            .collect();
        // What a function returns says which of its pointers its caller finds.
        let is_result = instance.invocation.caller.is_some() || block.is_behind_call;
        if let (true, 1, AbstractValue::Scalar(Operand::Const(result))) =
            (is_result, live & 1, state.registers[0])
        {
            kinds.extend([1, result as u32, (result >> 32) as u32]);
        }
        let tops = tops(&instance.invocation);
        for (frame, distance) in &self.slots {
            let offset = tops.get(*frame).and_then(|top| top.checked_sub(*distance));
            let spill = offset.and_then(|offset| state.stack.spills.get(&(offset / 8)));
            kinds.push(match spill {
                None => 0,
                Some(spill) if spill.bytes == 0xff => kind(state.simplify(spill.value)),
                Some(_) => 1,
            });
        }
        let next = self.numbers.len() as u32;
        Some(*self.numbers.entry(kinds).or_insert(next))
    }
}

/// Where the stacks of the functions that are under way end, the outermost first.
fn tops(invocation: &Invocation) -> Vec<u32> {
    let mut tops: Vec<u32> = invocation.chain().map(|frame| frame.top).collect();
    tops.reverse();
    tops
}

/// A number for what kind of thing a value is; values of one kind can be joined.
fn kind(value: AbstractValue) -> u32 {
    let (kind, detail) = match value {
        AbstractValue::Uninitialised => (1, 0),
        AbstractValue::Unusable(_) | AbstractValue::Reported => (2, 0),
        AbstractValue::OldPacket(_) => (12, 0),
        AbstractValue::PacketLow(_) => (13, 0),
        AbstractValue::Printed => (14, 0),
        AbstractValue::Event => (15, 0),
        AbstractValue::Scalar(_) => (3, 0),
        AbstractValue::Packet(_) => (4, 0),
        AbstractValue::PacketEnd(_) => (5, 0),
        AbstractValue::Context(offset) => (6, offset as u32),
        AbstractValue::Stack(_) => (7, 0),
        AbstractValue::Map(map) => (8, map as u32),
        AbstractValue::Function(slot) => (9, slot),
        AbstractValue::MapValue(pointer) => (10, pointer.map as u32),
        AbstractValue::Rodata { map, .. } => (11, map as u32),
    };
    detail << 4 | kind
}

impl Lifter<'_> {
    /// Notes that a slot was read that holds different things on different paths.
    pub(super) fn note_mixed_slot(&mut self, offset: u32) {
        let chain = self.current.invocation.chain();
        let depth = chain.clone().count();
        let frame = chain
            .zip((0..depth).rev())
            .find(|(frame, _)| frame.bottom <= offset && offset < frame.top);
        if let Some((frame, number)) = frame {
            let slot = (number, frame.top - offset / 8 * 8);
            self.mixed.slots.insert(slot);
        }
    }
}
