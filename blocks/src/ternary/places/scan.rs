//! Going through the places in their order: for the host's entry and where it belongs, or to count.

use super::numbers::Numbers;
use super::reader::{Reader, Reason, Tag};
use super::shape::Shape;
use crate::matching::asked::Command;
use crate::matching::runs::{flag, late, runs};
use crate::ternary::asked::Asked;
use crate::ternary::Table;
use hardpath_rtl::{Module, Node};

/// Clocks from the end of a pass until all that it finds stands in registers.
const LATE: u32 = 8;

/// A pass through places.
pub(super) struct Pass {
    /// For entries.
    pub(super) scans: Reason,
    /// Of a window, to count.
    pub(super) counts: Reason,
    /// Strobes: what a scan finds, and a count, is known.
    pub(super) scanned: Node,
    pub(super) counted: Node,
}

/// A window to be counted: a strobe, its first place and its last one.
pub(super) struct Counting {
    pub(super) begins: Node,
    pub(super) first: Node,
    pub(super) last: Node,
}

impl Pass {
    /// A dump reads a place alone.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        (command, scan_begins): (&Command, Node),
        counting: &Counting,
    ) -> Pass {
        m.section("Preparation: a pass through places");
        let bits = shape.bits();
        let zero = m.zero(bits);
        let (index_reg, index) = m.reg("pass_place", bits);
        let more = m.add_const(index, 1);
        let next = m.mux(scan_begins, zero, more);
        let next = m.mux(counting.begins, counting.first, next);
        m.set_next(index_reg, next);
        let either = m.or(&[scan_begins, counting.begins]);
        let counts = m.hold("pass_counts", either, counting.begins);
        let end = m.constant(u64::from(shape.places) - 1, bits);
        let last = m.mux(command.is_dump, zero, end);
        let last = m.mux(counts, counting.last, last);
        let last = m.eq(index, last);
        let (passes, ends) = runs(m, "passes", either, last);
        let scans = m.not(counts);
        let late = late(m, "pass_ended", ends, LATE);
        let reason = |m: &mut Module, kind: Node| Reason {
            reads: m.and(&[passes, kind]),
            place: index,
        };
        Pass {
            scans: reason(m, scans),
            counts: reason(m, counts),
            scanned: m.and(&[late, scans]),
            counted: m.and(&[late, counts]),
        }
    }
}

/// What a scan finds; all from registers. Places count to one behind the last.
pub(super) struct Scanned {
    /// Whether the host's entry is there, its number and its place.
    pub(super) exists: Node,
    pub(super) number: Node,
    pub(super) place: Node,
    /// The place behind the last entry that goes before a new one.
    pub(super) from: Node,
    /// The place of the first entry that goes behind it, or the end.
    pub(super) to: Node,
    /// The entry in front, or the one behind, was the last that was put in.
    pub(super) behind_last: Node,
    pub(super) before_last: Node,
    /// Places without entries.
    pub(super) free: Node,
}

/// An entry beside the host's, a clock after it was read.
struct Compared {
    here: Node,
    present: Node,
    same: Node,
    goes_before: Node,
    number: Node,
    place: Node,
}

impl Table<'_> {
    /// An entry goes before another one of lower priority, or of the same and a higher number. `last`: the number of the last one that was
    /// put in.
    pub(super) fn scanned(
        &mut self,
        shape: Shape,
        asked: &Asked,
        numbers: &Numbers,
        (tag, reader): (&Tag, &Reader),
        last: Node,
    ) -> Scanned {
        let compared = self.compared(shape, asked, numbers, (tag, reader));
        let m = &mut self.m;
        let begins = asked.command.begins;
        let Compared { here, number, .. } = compared;
        let present = m.and(&[here, compared.present]);
        let same = m.and(&[present, compared.same]);
        let exists = flag(m, "exists", begins, same);
        let found_number = m.hold("found_number", same, number);
        let found_place = m.hold("found_place", same, compared.place);

        let before = m.and(&[present, compared.goes_before]);
        let behind = m.not(compared.goes_before);
        let behind = m.and(&[present, behind]);
        let some_behind = flag(m, "some_behind", begins, behind);
        let is_first = m.not(some_behind);
        let first_behind = m.and(&[behind, is_first]);
        let zero = m.zero(shape.end_bits());
        let end = m.constant(u64::from(shape.places), shape.end_bits());
        let after = m.add_const(compared.place, 1);
        let from = settled(m, "new_from", (begins, zero), (before, after));
        let to = settled(m, "new_to", (begins, end), (first_behind, compared.place));
        let is_last = m.eq(number, last);
        let none = m.zero(1);
        let behind_last = settled(m, "new_behind_last", (begins, none), (before, is_last));
        let before_last = settled(
            m,
            "new_before_last",
            (begins, none),
            (first_behind, is_last),
        );
        let (free_reg, free) = m.reg("free_places", shape.end_bits());
        let fewer = m.sub_const(free, 1);
        let free_next = m.mux(begins, end, fewer);
        let free_changes = m.or(&[begins, present]);
        m.set_next_when(free_reg, free_changes, free_next);
        Scanned {
            exists,
            number: found_number,
            place: found_place,
            from,
            to,
            behind_last,
            before_last,
            free,
        }
    }

    fn compared(
        &mut self,
        shape: Shape,
        asked: &Asked,
        numbers: &Numbers,
        (tag, reader): (&Tag, &Reader),
    ) -> Compared {
        let m = &mut self.m;
        m.section("Preparation: each entry beside the host's");
        let (entry, stored) = (&asked.entry, &reader.entry);
        let same_key = m.eq(stored.key, entry.key);
        let same_mask = m.eq(stored.mask, entry.mask);
        let equal = m.eq(stored.priority, entry.priority);
        let higher = m.ult(entry.priority, stored.priority);
        let older = m.ult(reader.entry_number, numbers.vacant);
        let same_key = m.delay("same_key", same_key);
        let same_mask = m.delay("same_mask", same_mask);
        let equal = m.delay("equal_priority", equal);
        let higher = m.delay("higher_priority", higher);
        let older = m.delay("lower_number", older);
        let older = m.and(&[equal, older]);
        let place = m.zext(reader.entry_place, shape.end_bits());
        Compared {
            here: m.delay_reset("compared", tag.at_entry()),
            present: m.delay("compared_present", reader.entry_present),
            same: m.and(&[same_key, same_mask, equal]),
            goes_before: m.or(&[higher, older]),
            number: m.delay("compared_number", reader.entry_number),
            place: m.delay("compared_place", place),
        }
    }
}

/// A register that an operation begins with one value, and that takes another one where that is found.
fn settled(
    m: &mut Module,
    name: &str,
    (begins, first): (Node, Node),
    (found, then): (Node, Node),
) -> Node {
    let (reg, node) = m.reg(name, m.width(first));
    let next = m.mux(begins, first, then);
    let changes = m.or(&[begins, found]);
    m.set_next_when(reg, changes, next);
    node
}
