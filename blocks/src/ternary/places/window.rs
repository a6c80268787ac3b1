//! Where no place is free between an entry that goes before the new one and one that goes behind it: the window whose entries move apart.
//!
//! Windows are aligned and have a power of two of places. The first one that is sparse enough is taken, from eight places on: it has at
//! least half as many free ones as its part of the whole table would have. The whole table always is, since there is room.

use super::reader::{Reader, Tag};
use super::scan::{Counting, Pass, Scanned};
use super::shape::Shape;
use hardpath_rtl::{Module, Node};

/// The smallest window has so many bits of a place.
const FIRST_BITS: u32 = 3;

/// From registers, from [`Window::found`] on.
pub(super) struct Window {
    /// Its first place and its last one.
    pub(super) first: Node,
    pub(super) last: Node,
    /// Its entries, and its places without one.
    pub(super) count: Node,
    pub(super) free: Node,
    /// Strobe.
    pub(super) found: Node,
}

impl Window {
    /// `begins`: one is needed around `scanned.to`. `counting`: wires.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        (begins, scanned): (Node, &Scanned),
        counting: &Counting,
        (pass, (tag, reader)): (&Pass, (&Tag, &Reader)),
    ) -> Window {
        m.section("Preparation: a window that is sparse enough");
        let grows = m.wire(1, "window_grows");
        let changes = m.or(&[begins, grows]);
        let (first, last) = ends(m, shape, (begins, changes), scanned.to);
        let counts = m.delay_reset("window_counts", changes);
        let here = m.and(&[tag.at_number(), reader.present]);
        let (count_reg, count) = m.reg("window_count", shape.end_bits());
        let none = m.zero(shape.end_bits());
        let more = m.add_const(count, 1);
        let count_next = m.mux(counts, none, more);
        let counts_on = m.or(&[counts, here]);
        m.set_next_when(count_reg, counts_on, count_next);

        let from = m.zext(first, shape.end_bits());
        let to = m.zext(last, shape.end_bits());
        let size = m.sub(to, from);
        let size = m.add_const(size, 1);
        let free = m.sub(size, count);
        let free = m.delay("window_free", free);
        let least = least_free(m, shape, (begins, changes), scanned.free);
        let too_few = m.ult(free, least);
        let none = m.eq_const(free, 0);
        let at_start = m.eq_const(first, 0);
        let at_end = m.eq_const(last, u64::from(shape.places) - 1);
        let whole = m.and(&[at_start, at_end]);
        let dense = m.or(&[too_few, none]);
        let part = m.not(whole);
        let dense = m.and(&[dense, part]);
        let dense = m.delay("window_is_dense", dense);
        let sparse = m.not(dense);
        let next = m.and(&[pass.counted, dense]);
        m.drive(grows, next);
        m.drive(counting.begins, counts);
        m.drive(counting.first, first);
        m.drive(counting.last, last);
        Window {
            first,
            last,
            count,
            free,
            found: m.and(&[pass.counted, sparse]),
        }
    }
}

/// The first place of the window around `to`, and the last one.
fn ends(m: &mut Module, shape: Shape, (begins, changes): (Node, Node), to: Node) -> (Node, Node) {
    let bits = shape.bits();
    let end = m.constant(u64::from(shape.places) - 1, bits);
    let is_end = m.eq_const(to, u64::from(shape.places));
    let low = m.slice(to, 0, bits);
    let at = m.mux(is_end, end, low);
    let at = m.hold("window_at", begins, at);
    let (inside_reg, inside) = m.reg("window_inside", bits);
    let smallest = m.constant((1 << FIRST_BITS) - 1, bits);
    let one = m.one();
    let lower = m.slice(inside, 0, bits - 1);
    let larger = m.concat(&[lower, one]);
    let next = m.mux(begins, smallest, larger);
    m.set_next_when(inside_reg, changes, next);
    let outside = m.not(inside);
    let first = m.and(&[at, outside]);
    let last = m.or(&[at, inside]);
    if shape.places.is_power_of_two() {
        return (first, last);
    }
    let beyond = m.ult(end, last);
    let last = m.mux(beyond, end, last);
    (first, last)
}

/// Half of the window's part of the free places: it doubles with the window.
fn least_free(m: &mut Module, shape: Shape, (begins, changes): (Node, Node), free: Node) -> Node {
    let halvings = shape.bits() - FIRST_BITS + 1;
    let bits = shape.end_bits() + halvings;
    let (reg, parts) = m.reg("window_free_parts", bits);
    let first = m.zext(free, bits);
    let low = m.slice(parts, 0, bits - 1);
    let zero = m.zero(1);
    let doubled = m.concat(&[low, zero]);
    let next = m.mux(begins, first, doubled);
    m.set_next_when(reg, changes, next);
    m.slice(parts, halvings, shape.end_bits())
}
