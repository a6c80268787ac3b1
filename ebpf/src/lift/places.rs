//! What a state holds, place by place, and what a value consists of.

use std::rc::Rc;

use super::stack::Spill;
use super::state::{AbstractValue, MapPointer, Operand, State};

/// Where a state holds a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    Register(usize),
    /// Of a call that is under way, from the outermost one: `r6` to `r9`, then what a `bpf_loop` hands to its rounds.
    Saved(usize, usize),
    /// The number of the round, of a call that is under way.
    Round(usize),
    /// A stack slot that holds a pointer.
    Spill(u32),
    Destination,
    RedirectTarget,
    Head,
    Metadata,
    End,
    Keep,
}

impl Place {
    /// Width in bits of a number there.
    pub fn width(self) -> u32 {
        match self {
            Place::Round(_) | Place::Destination | Place::RedirectTarget => 32,
            _ => 64,
        }
    }
}

impl State {
    /// Every place that may hold a value.
    pub fn places(&self) -> Vec<Place> {
        let mut all: Vec<Place> = (0..10).map(Place::Register).collect();
        for depth in 0..self.callers.len() {
            all.extend((0..5).map(|place| Place::Saved(depth, place)));
            all.push(Place::Round(depth));
        }
        all.extend(self.stack.spills.keys().copied().map(Place::Spill));
        all.extend([
            Place::Destination,
            Place::RedirectTarget,
            Place::Head,
            Place::Metadata,
            Place::End,
            Place::Keep,
        ]);
        all
    }

    /// What is there. `None`: no pointer in a slot of the stack, or the length with which the packet came in.
    pub fn at(&self, place: Place) -> Option<AbstractValue> {
        let number = AbstractValue::Scalar;
        Some(match place {
            Place::Register(register) => self.registers[register],
            Place::Saved(depth, place) => {
                let saved = &self.callers[depth];
                saved.registers.get(place).copied().unwrap_or(saved.context)
            }
            Place::Round(depth) => number(self.callers[depth].round),
            Place::Spill(slot) => match self.stack.spills.get(&slot)? {
                Spill { value, bytes: 0xff } => *value,
                _ => AbstractValue::Unusable("a part of a pointer that was stored on the stack"),
            },
            Place::Destination => number(self.destination),
            Place::RedirectTarget => number(self.redirect_target),
            Place::Head => number(self.extent.head),
            Place::Metadata => number(self.extent.meta),
            Place::End => number(self.extent.end?),
            Place::Keep => number(self.extent.keep?),
        })
    }

    /// Puts a value there; what only holds numbers takes only numbers.
    pub fn put(&mut self, place: Place, value: AbstractValue) {
        match (place, value) {
            (Place::Register(register), _) => self.registers[register] = value,
            (Place::Saved(depth, place), _) => {
                let saved = &mut self.callers[depth];
                match saved.registers.get_mut(place) {
                    Some(register) => *register = value,
                    None => saved.context = value,
                }
            }
            (Place::Spill(slot), _) => {
                Rc::make_mut(&mut self.stack.spills).insert(slot, Spill { value, bytes: 0xff });
            }
            (Place::Round(depth), AbstractValue::Scalar(number)) => {
                self.callers[depth].round = number;
            }
            (Place::Destination, AbstractValue::Scalar(number)) => self.destination = number,
            (Place::RedirectTarget, AbstractValue::Scalar(number)) => {
                self.redirect_target = number;
            }
            (Place::Head, AbstractValue::Scalar(number)) => self.extent.head = number,
            (Place::Metadata, AbstractValue::Scalar(number)) => self.extent.meta = number,
            (Place::End, AbstractValue::Scalar(number)) => self.extent.end = Some(number),
            (Place::Keep, AbstractValue::Scalar(number)) => self.extent.keep = Some(number),
            _ => {}
        }
    }
}

impl AbstractValue {
    /// The numbers that it consists of, with their widths; `width`: that of a plain number.
    pub fn parts(self, width: u32) -> Vec<(Operand, u32)> {
        match self {
            AbstractValue::Scalar(operand)
            | AbstractValue::Packet(operand)
            | AbstractValue::PacketEnd(operand)
            | AbstractValue::PacketLow(operand)
            | AbstractValue::OldPacket(operand)
            | AbstractValue::Stack(operand)
            | AbstractValue::Rodata {
                offset: operand, ..
            } => vec![(operand, width)],
            AbstractValue::MapValue(pointer) => {
                vec![
                    (pointer.hit, 1),
                    (pointer.entry, 32),
                    (pointer.offset, width),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// The same kind of thing with other numbers, as many as it has.
    pub fn with_parts(self, parts: &[Operand]) -> AbstractValue {
        match (self, parts) {
            (AbstractValue::Scalar(_), [part]) => AbstractValue::Scalar(*part),
            (AbstractValue::Packet(_), [part]) => AbstractValue::Packet(*part),
            (AbstractValue::PacketEnd(_), [part]) => AbstractValue::PacketEnd(*part),
            (AbstractValue::PacketLow(_), [part]) => AbstractValue::PacketLow(*part),
            (AbstractValue::OldPacket(_), [part]) => AbstractValue::OldPacket(*part),
            (AbstractValue::Stack(_), [part]) => AbstractValue::Stack(*part),
            (AbstractValue::Rodata { map, .. }, [part]) => {
                AbstractValue::Rodata { map, offset: *part }
            }
            (AbstractValue::MapValue(pointer), [hit, entry, offset]) => {
                AbstractValue::MapValue(MapPointer {
                    hit: *hit,
                    entry: *entry,
                    offset: *offset,
                    ..pointer
                })
            }
            (other, _) => other,
        }
    }

    /// What kind of thing it is: the same for all whose numbers alone differ, or whether they are stale.
    pub fn kind(self) -> AbstractValue {
        let zeros = vec![Operand::Const(0); self.parts(64).len()];
        match self.with_parts(&zeros) {
            AbstractValue::MapValue(pointer) => AbstractValue::MapValue(MapPointer {
                is_stale: false,
                ..pointer
            }),
            other => other,
        }
    }

    /// A pointer from before an entry of its map was deleted.
    pub fn is_stale(self) -> bool {
        matches!(
            self,
            AbstractValue::MapValue(MapPointer { is_stale: true, .. })
        )
    }
}
