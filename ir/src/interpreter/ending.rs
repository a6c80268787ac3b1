//! What becomes of a packet when its program ends.

use super::packet::Part;
use super::prepare::Slot;
use super::Prepared;
use crate::maps::Maps;
use crate::{Emit, MapId, Sent, Value};
use cranelift_entity::SecondaryMap;
use hardpath_packet::{Class, Copy, Fate, Sideband};

/// An [`Emit`] with the places of its values.
#[derive(Clone, Debug)]
pub(super) struct EmitSlots {
    forwarded: Slot,
    packet: SentSlots,
    each: Vec<EachSlots>,
    copies: Vec<(Slot, SentSlots)>,
}

#[derive(Clone, Debug)]
struct EachSlots {
    when: Slot,
    table: MapId,
    not_back: Slot,
}

#[derive(Clone, Debug)]
struct SentSlots {
    to: Option<(Slot, Slot)>,
    outputs: Vec<Slot>,
    leaves: Option<LeavingSlots>,
    begins: Vec<i16>,
}

#[derive(Clone, Debug)]
struct LeavingSlots {
    from: Slot,
    end: Slot,
    zeros: Slot,
    /// Bytes and length.
    front: Option<(Slot, Slot)>,
}

/// What leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    front: Vec<u8>,
    part: Part,
}

impl EmitSlots {
    pub(super) fn new(emit: &Emit, slots: &SecondaryMap<Value, Slot>) -> EmitSlots {
        let sent = |sent: &Sent| SentSlots {
            to: sent.to.map(|to| (slots[to.class], slots[to.index])),
            outputs: sent.outputs.iter().map(|value| slots[*value]).collect(),
            leaves: sent.leaves.map(|leaves| LeavingSlots {
                from: slots[leaves.from],
                end: slots[leaves.end],
                zeros: slots[leaves.zeros],
                front: leaves
                    .front
                    .map(|front| (slots[front.bytes], slots[front.length])),
            }),
            begins: sent.begins.clone(),
        };
        EmitSlots {
            forwarded: slots[emit.forwarded],
            packet: sent(&emit.packet),
            each: emit
                .each
                .iter()
                .map(|each| EachSlots {
                    when: slots[each.when],
                    table: each.table,
                    not_back: slots[each.not_back],
                })
                .collect(),
            copies: emit
                .copies
                .iter()
                .map(|copy| (slots[copy.when], sent(&copy.sent)))
                .collect(),
        }
    }
}

impl Prepared {
    /// What becomes of the packet, of `length` bytes when it came in.
    pub(super) fn fate(
        &mut self,
        emit: &EmitSlots,
        maps: &Maps,
        context: &Sideband,
        length: usize,
    ) -> Fate {
        self.left = self.leaving(&emit.packet, length);
        let outputs = self.outputs(&emit.packet);
        let mut fate = Fate::ends(&outputs);
        if self.is_on(emit.forwarded) {
            let copy = self.copy_of(&emit.packet, &self.left);
            let broadcast = emit.each.iter().find(|each| self.is_on(each.when));
            match broadcast {
                None if copy.class == Class::Nowhere => {}
                None => fate.copies.push(copy),
                Some(each) => {
                    let mut all = maps.broadcast_destinations(each.table).unwrap_or_default();
                    if self.is_on(each.not_back) {
                        all.retain(|index| *index != context.ingress);
                    }
                    fate = Fate::leaves_for(&copy, &all);
                }
            }
        }
        for (when, sent) in &emit.copies {
            if self.is_on(*when) {
                let left = self.leaving(sent, length);
                let copy = self.copy_of(sent, &left);
                if copy.class != Class::Nowhere {
                    fate.copies.push(copy);
                }
            }
        }
        fate
    }

    /// The packet's bytes behind the last run, also of one that goes nowhere.
    pub fn left_behind(&self) -> Vec<u8> {
        self.bytes_of(&self.left)
    }

    fn is_on(&self, condition: Slot) -> bool {
        self.word(condition) == 1
    }

    fn outputs(&self, sent: &SentSlots) -> Vec<u64> {
        sent.outputs.iter().map(|slot| self.word(*slot)).collect()
    }

    fn copy_of(&self, sent: &SentSlots, left: &Left) -> Copy {
        let begins = left.part.from - left.front.len() as i64;
        debug_assert!(
            sent.begins.is_empty() || sent.begins.iter().any(|known| i64::from(*known) == begins),
            "the packet begins at {begins}, which is none of {:?}",
            sent.begins
        );
        let (class, index) = match sent.to {
            Some((class, index)) => (Class::from_code(self.word(class)), self.word(index) as u32),
            None => (Class::SamePort, 0),
        };
        Copy {
            class,
            index,
            outputs: self.outputs(sent),
            data: self.bytes_of(left),
        }
    }

    fn bytes_of(&self, left: &Left) -> Vec<u8> {
        let mut bytes = left.front.clone();
        bytes.extend(self.packet.leaving(&left.part));
        bytes
    }

    fn leaving(&self, sent: &SentSlots, length: usize) -> Left {
        let Some(leaves) = &sent.leaves else {
            return Left {
                front: Vec::new(),
                part: Part::unmoved(length),
            };
        };
        let front = leaves.front.map(|(bytes, count)| {
            let count = usize::from(self.word(count) as u16);
            self.bytes(bytes).take(count).collect()
        });
        Left {
            front: front.unwrap_or_default(),
            part: Part {
                from: self.offset(leaves.from),
                end: self.offset(leaves.end),
                zeros: self.offset(leaves.zeros),
            },
        }
    }
}
