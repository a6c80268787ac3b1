//! Places: a way and a slot in it, as numbers and one-hot.

use super::{SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// Places, and bits that number them.
pub(super) const PLACES: u32 = WAYS * SLOTS;
pub(super) const PLACE_BITS: u32 = PLACES.trailing_zeros();

/// Number to one-hot.
pub(super) fn decode(m: &mut Module, place: Node) -> Vec<Node> {
    (0..WAYS * SLOTS)
        .map(|number| m.eq_const(place, u64::from(number)))
        .collect()
}

/// The row in the way of a place, of the rows of all ways.
pub(super) fn row_of_place(m: &mut Module, rows: Node, place: Node) -> Node {
    let row_bits = m.width(rows) / WAYS;
    let slot_bits = index_bits(u64::from(SLOTS));
    let way_bits = index_bits(u64::from(WAYS));
    let way = m.slice(place, slot_bits, way_bits);
    let high = m.bit(way, 1);
    let low = m.bit(way, 0);
    let row: Vec<Node> = (0..WAYS)
        .map(|w| m.slice(rows, w * row_bits, row_bits))
        .collect();
    let first = m.mux(low, row[1], row[0]);
    let second = m.mux(low, row[3], row[2]);
    m.mux(high, second, first)
}

/// Where a new key goes: the first free slot of the emptiest bucket, the leftmost way first.
#[derive(Clone)]
pub(super) struct Emptiest {
    /// There is a free slot.
    pub(super) some: Node,
    /// Its place, if there is one: as a number, and one-hot.
    pub(super) place: Node,
    pub(super) at: Vec<Node>,
}

/// What is known of two ways, from their four slots.
struct Pair {
    has_empty: Node,
    has_room: Node,
    /// The emptier one is the second.
    way: Node,
    /// Its first slot is taken.
    slot: Node,
}

impl Pair {
    fn of(m: &mut Module, number: usize, taken: &[Node]) -> Pair {
        let name = |m: &mut Module, node: Node, way: usize, what: &str| {
            m.name(node, format!("way_{}_{what}", 2 * number + way))
        };
        let (mut empty, mut room) = (Vec::new(), Vec::new());
        for (way, slots) in taken.chunks_exact(SLOTS as usize).enumerate() {
            let some = m.or(slots);
            let none = m.not(some);
            empty.push(name(m, none, way, "is_empty"));
            let all = m.and(slots);
            let some_free = m.not(all);
            room.push(name(m, some_free, way, "has_room"));
        }
        let has_empty = m.or(&empty);
        let [first_empty, first_room] = [empty[0], room[0]].map(|first| m.not(first));
        let way = m.mux(has_empty, first_empty, first_room);
        Pair {
            has_empty,
            has_room: m.or(&room),
            way,
            slot: m.mux(way, taken[SLOTS as usize], taken[0]),
        }
    }
}

/// What the slots that are taken leave. Each half says what it has from its own four slots, and then one is chosen: two LUTs behind
/// each other.
pub(super) fn emptiest(m: &mut Module, taken: &[Node]) -> Emptiest {
    let in_half = taken.len() / 2;
    let (first, second) = taken.split_at(in_half);
    let first = Pair::of(m, 0, first);
    let second = Pair::of(m, 1, second);
    let none_empty = m.not(first.has_empty);
    let full = m.not(first.has_room);
    let better = m.or(&[second.has_empty, full]);
    let half = m.and(&[none_empty, better]);
    m.name(half, "emptiest_half");
    let way = m.mux(half, second.way, first.way);
    let slot = m.mux(half, second.slot, first.slot);
    let place = m.concat(&[half, way, slot]);
    m.name(place, "emptiest_place");
    let mut at = Vec::new();
    for number in 0..taken.len() {
        let pair = [&first, &second][number / in_half];
        let bits = [
            (half, number >> 2),
            (pair.way, number >> 1),
            (pair.slot, number),
        ];
        let bits = bits.map(|(bit, wanted)| if wanted & 1 == 1 { bit } else { m.not(bit) });
        let here = m.and(&bits);
        at.push(m.name(here, format!("emptiest_is_{number}")));
    }
    Emptiest {
        some: m.or(&[first.has_room, second.has_room]),
        place,
        at,
    }
}
