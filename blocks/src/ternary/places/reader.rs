//! Reading entries by their places: the order says which entry stands in a place, and the keys have the entry.
//!
//! A read goes through six registers. Number them from the one that has the place: the order's word is behind 1, its number in 2 addresses the
//! keys, their word is behind 3 and stands in 4.

use super::shape::Shape;
use crate::matching::asked::Command;
use crate::ternary::asked::Entry;
use crate::ternary::Table;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Why a place is read.
#[derive(Clone, Copy)]
pub(super) struct Reason {
    /// A strobe.
    pub(super) reads: Node,
    pub(super) place: Node,
}

/// A place that was read, and when: strobes.
#[derive(Clone)]
pub(super) struct Tag {
    /// By the number of the register.
    stages: Vec<Node>,
}

impl Tag {
    fn of(m: &mut Module, name: &str, reads: Node) -> Tag {
        let mut stages = vec![m.delay_reset(format!("{name}_0"), reads)];
        for stage in 1..=4 {
            let before = stages[stage - 1];
            stages.push(m.delay_reset(format!("{name}_{stage}"), before));
        }
        Tag { stages }
    }

    /// Whether there is a word of the order, and of which entry.
    pub(super) fn at_number(&self) -> Node {
        self.stages[2]
    }

    /// Whether there is an entry.
    pub(super) fn at_entry(&self) -> Node {
        self.stages[4]
    }
}

/// The memories behind places.
#[derive(Clone, Copy)]
pub(super) struct Memories {
    /// By place: whether an entry stands there, and its number in the bits below.
    pub(super) order: Mem,
    /// By number: priority, mask, key.
    pub(super) keys: Mem,
}

/// What was read.
pub(super) struct Reader {
    /// Whether an entry stands in the place, and its number: in the clock of [`Tag::at_number`].
    pub(super) present: Node,
    pub(super) number: Node,
    /// Likewise, in the clock of [`Tag::at_entry`].
    pub(super) entry_present: Node,
    pub(super) entry_number: Node,
    pub(super) entry_place: Node,
    /// It stands still after the last one: what a dump asked for.
    pub(super) entry: Entry,
}

impl Table<'_> {
    pub(super) fn memories(&mut self, shape: Shape) -> Memories {
        let m = &mut self.m;
        m.section("Which entry stands in which place, and the entries");
        let word_bits = self.fields.word_bits() - 1;
        Memories {
            order: m.mem("order", shape.bits() + 1, shape.places, MemStyle::Auto),
            keys: m.mem("keys", word_bits, shape.places, MemStyle::Auto),
        }
    }

    /// Reads places for several reasons, of which never two come together. A dump reads the entry in `host_slot` instead. Gives a tag for
    /// each reason.
    pub(super) fn reader(
        &mut self,
        shape: Shape,
        memories: Memories,
        reasons: [(&str, Reason); 4],
        (command, host_slot): (&Command, Node),
    ) -> (Reader, [Tag; 4]) {
        let m = &mut self.m;
        let tags = reasons.map(|(name, reason)| Tag::of(m, name, reason.reads));
        let places = reasons.map(|(_, reason)| m.gate(reason.reads, reason.place));
        let place = m.or(&places);
        let place_0 = m.delay("read_place_0", place);
        let one = m.one();
        let word = m.mem_read_sync(memories.order, place_0, one);
        let number = m.slice(word, 0, shape.bits());
        let number = m.delay("read_number_2", number);
        let present = m.bit(word, shape.bits());
        let present = m.delay("read_present_2", present);
        let slot = m.resize(host_slot, shape.bits());
        let address = m.mux(command.is_dump, slot, number);
        let word = m.mem_read_sync(memories.keys, address, one);
        let some = tags.iter().map(|tag| tag.stages[3]).collect::<Vec<_>>();
        let some = m.or(&some);
        let stored_word = m.hold("stored_word", some, word);
        let later = |m: &mut Module, name: &str, node: Node, clocks: std::ops::Range<u32>| {
            clocks.fold(node, |node, clock| m.delay(format!("{name}_{clock}"), node))
        };
        let entry_present = later(m, "read_present", present, 3..5);
        let entry_number = later(m, "read_number", number, 3..5);
        let entry_place = later(m, "read_place", place_0, 1..5);
        let entry = self.stored(stored_word);
        let reader = Reader {
            present,
            number,
            entry_present,
            entry_number,
            entry_place,
            entry,
        };
        (reader, tags)
    }
}
