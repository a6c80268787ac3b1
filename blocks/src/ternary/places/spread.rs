//! The entries of a window move apart, so that a place becomes free for a new one.
//!
//! All entries of the window, the new one among them, get places at equal distances; in front of the new one, or behind it, half of what
//! is free stays together where it was put in beside the last one, as more will follow there.
//!
//! The first pass, upwards, moves entries down, and the second one, downwards, moves entries up. So each moves once, to a place that is
//! free, and no other one stands between its old place and its new one: while it stands in both, a packet finds the same.

use super::reader::{Reader, Reason, Tag};
use super::scan::Scanned;
use super::shape::Shape;
use super::window::Window;
use super::Move;
use hardpath_rtl::{Module, Node};

/// What becomes of a window.
pub(super) struct Spread {
    /// The new entry's place, from a register.
    pub(super) place: Node,
    /// Strobe: all have moved.
    pub(super) done: Node,
}

/// Where a pass is; from registers.
struct Walk {
    /// The second pass: a place is looked at before the walk comes to it.
    down: Node,
    /// The place.
    at: Node,
    /// The new entry lies behind.
    passed: Node,
}

/// The place that the next entry gets. Between two entries lie as many places as there are for one: `room / count`.
struct Target {
    place: Node,
    /// Strobe: it has been changed.
    changed: Node,
}

/// The window's entries with the new one, the places that they share, and the gap beside the new one; from registers.
struct Shares {
    count: Node,
    room: Node,
    gap: Node,
}

/// Wires: what a walk asks others for.
pub(super) struct Wanted {
    /// To read a place.
    pub(super) reads: Reason,
    /// To move an entry, whose end `moved` says.
    pub(super) moves: Move,
    pub(super) moved: Node,
}

impl Spread {
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        (window, scanned): (&Window, &Scanned),
        (tag, reader): (&Tag, &Reader),
        wanted: &Wanted,
    ) -> Spread {
        m.section("Preparation: the entries of the window move apart");
        let begins = window.found;
        let shares = Shares::of(m, shape, window, scanned);
        let [visits, goes_on, adjusts, compares] = ["visits", "goes_on", "adjusts", "compares"]
            .map(|name| m.wire(1, format!("spread_{name}")));
        let of_new = m.wire(1, "spread_of_new");
        let turns = m.wire(1, "spread_turns");
        let meets = m.wire(1, "spread_meets");
        let walk = Walk::of(m, shape, (begins, window.first), (goes_on, turns, meets));
        let up = m.not(walk.down);
        let target = Target::of(
            m,
            shape,
            (begins, window.first),
            (adjusts, walk.down),
            &shares,
        );

        // A visit: the new entry's turn, the end of a pass, or a place to look at.
        let last = m.zext(window.last, shape.end_bits());
        let end = m.add_const(last, 1);
        let first = m.zext(window.first, shape.end_bits());
        let end = m.mux(walk.down, first, end);
        let at_end = m.eq(walk.at, end);
        let at_end = m.delay("spread_at_end", at_end);
        let at_new = m.eq(walk.at, scanned.to);
        let at_new = m.delay("spread_at_new", at_new);
        let other_side = m.xor(&[walk.passed, walk.down]);
        let same_side = m.not(other_side);
        let is_new = m.and(&[visits, at_new, same_side]);
        m.drive(meets, is_new);
        let is_other = m.not(is_new);
        let is_end = m.and(&[visits, is_other, at_end]);
        let turn = m.and(&[is_end, up]);
        m.drive(turns, turn);
        let inside = m.not(at_end);
        let looks = m.and(&[visits, is_other, inside]);
        let below = m.sub_const(walk.at, 1);
        let place = m.mux(walk.down, below, walk.at);
        m.drive(wanted.reads.reads, looks);
        let low = m.slice(place, 0, shape.bits());
        m.drive(wanted.reads.place, low);

        // What stands there.
        let seen = tag.at_number();
        let present = m.and(&[seen, reader.present]);
        let absent = m.not(reader.present);
        let nothing = m.and(&[seen, absent]);
        let number = m.hold("spread_number", seen, reader.number);
        let seen_up = m.and(&[present, up]);
        let seen_down = m.and(&[present, walk.down]);

        // Its new place.
        let gap = m.gate(walk.passed, shares.gap);
        let to = m.add(target.place, gap);
        let above = m.ult(place, to);
        let below = m.ult(to, place);
        let moves = m.mux(walk.down, above, below);
        let moves = m.and(&[compares, moves]);
        let stays = m.not(moves);
        let stays = m.and(&[compares, stays]);
        let over = m.or(&[stays, wanted.moved]);
        let over_up = m.and(&[over, up]);
        let over_down = m.and(&[over, walk.down]);
        let to = m.slice(to, 0, shape.bits());
        m.drive(wanted.moves.begins, moves);
        m.drive(wanted.moves.from, low);
        m.drive(wanted.moves.to, to);
        m.drive(wanted.moves.number, number);

        // What comes next.
        let adjust = m.or(&[is_new, seen_down, over_up]);
        m.drive(adjusts, adjust);
        let new = m.hold("spread_adjusts_for_new", adjust, is_new);
        m.drive(of_new, new);
        let old = m.not(of_new);
        let changed_for_new = m.and(&[target.changed, of_new]);
        let changed_up = m.and(&[target.changed, old, up]);
        let changed_down = m.and(&[target.changed, old, walk.down]);
        let on = m.or(&[nothing, changed_up, over_down]);
        m.drive(goes_on, on);
        let visit = m.or(&[begins, on, turn, changed_for_new]);
        let visit = m.delay_reset("spread_comes", visit);
        let visit = m.delay_reset("spread_visit", visit);
        m.drive(visits, visit);
        let compare = m.or(&[seen_up, changed_down]);
        let compare = m.delay_reset("spread_compare", compare);
        m.drive(compares, compare);

        let behind_gap = m.add(target.place, shares.gap);
        let new_place = m.mux(scanned.before_last, behind_gap, target.place);
        let new_place = m.slice(new_place, 0, shape.bits());
        let takes = m.and(&[is_new, up]);
        Spread {
            place: m.hold("spread_new_place", takes, new_place),
            done: m.and(&[is_end, walk.down]),
        }
    }
}

impl Walk {
    fn of(
        m: &mut Module,
        shape: Shape,
        (begins, first): (Node, Node),
        (goes_on, turns, meets): (Node, Node, Node),
    ) -> Walk {
        let none = m.zero(1);
        let (down_reg, down) = m.reg("spread_down", 1);
        let down_next = m.not(begins);
        let down_changes = m.or(&[begins, turns]);
        m.set_next_when(down_reg, down_changes, down_next);
        let (passed_reg, passed) = m.reg("spread_passed", 1);
        let other = m.not(passed);
        let passed_next = m.mux(begins, none, other);
        let passed_changes = m.or(&[begins, meets]);
        m.set_next_when(passed_reg, passed_changes, passed_next);
        let (at_reg, at) = m.reg("spread_at", shape.end_bits());
        let first = m.zext(first, shape.end_bits());
        let step = one_step(m, down, shape.end_bits());
        let on = m.add(at, step);
        let at_next = m.mux(begins, first, on);
        let at_changes = m.or(&[begins, goes_on]);
        m.set_next_when(at_reg, at_changes, at_next);
        Walk { down, at, passed }
    }
}

impl Target {
    /// `adjusts`: it moves up by one entry, or down.
    fn of(
        m: &mut Module,
        shape: Shape,
        (begins, first): (Node, Node),
        (adjusts, down): (Node, Node),
        shares: &Shares,
    ) -> Target {
        // What is left of the places of the entries before, in parts of a place; below 0 while it is being borrowed.
        let bits = shape.end_bits() + 2;
        let (left_reg, left) = m.reg("spread_left", bits);
        let room = m.zext(shares.room, bits);
        let count = m.zext(shares.count, bits);
        let with_room = sum_or_difference(m, down, (left, room));
        let up = m.not(down);
        let with_count = sum_or_difference(m, up, (left, count));
        let with_count = m.delay("spread_left_with_count", with_count);
        let negative = m.bit(left, bits - 1);
        let less = m.bit(with_count, bits - 1);
        let enough = m.not(less);
        let uneven = m.mux(down, negative, enough);
        let settles = m.wire(1, "spread_settles");
        let again = m.and(&[settles, uneven]);
        let even = m.not(uneven);
        let changed = m.and(&[settles, even]);
        let next = m.mux(adjusts, with_room, with_count);
        let zero = m.zero(bits);
        let next = m.mux(begins, zero, next);
        let changes = m.or(&[begins, adjusts, again]);
        m.set_next_when(left_reg, changes, next);
        let state = m.or(&[adjusts, again]);
        let state = m.delay_reset("spread_left_changed", state);
        let state = m.delay_reset("spread_left_settles", state);
        m.drive(settles, state);

        let (place_reg, place) = m.reg("spread_target", shape.end_bits());
        let first = m.zext(first, shape.end_bits());
        let step = one_step(m, down, shape.end_bits());
        let on = m.add(place, step);
        let place_next = m.mux(begins, first, on);
        let place_changes = m.or(&[begins, again]);
        m.set_next_when(place_reg, place_changes, place_next);
        Target { place, changed }
    }
}

impl Shares {
    fn of(m: &mut Module, shape: Shape, window: &Window, scanned: &Scanned) -> Shares {
        let bits = shape.end_bits();
        let beside_last = m.or(&[scanned.behind_last, scanned.before_last]);
        let half = m.slice(window.free, 1, bits - 1);
        let half = m.zext(half, bits);
        let gap = m.gate(beside_last, half);
        let both = m.add(window.count, window.free);
        let room = m.sub(both, gap);
        let count = m.add_const(window.count, 1);
        Shares {
            count: m.hold("spread_count", window.found, count),
            room: m.hold("spread_room", window.found, room),
            gap: m.hold("spread_gap", window.found, gap),
        }
    }
}

/// 1, or -1 on the way down.
fn one_step(m: &mut Module, down: Node, bits: u32) -> Node {
    let one = m.constant(1, bits);
    let minus = m.sext(down, bits);
    m.or(&[one, minus])
}

fn sum_or_difference(m: &mut Module, differs: Node, (left, right): (Node, Node)) -> Node {
    let sum = m.add(left, right);
    let difference = m.sub(left, right);
    m.mux(differs, difference, sum)
}
