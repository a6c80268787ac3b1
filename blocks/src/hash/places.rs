//! Places: a way and a slot in it, as numbers and one-hot.

use super::{SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// One-hot to number.
pub(super) fn encode(m: &mut Module, one_hot: &[Node]) -> Node {
    let bits = index_bits(one_hot.len() as u64);
    let mut columns: Vec<Node> = (0..bits)
        .map(|bit| {
            let with_bit: Vec<Node> = (0..one_hot.len())
                .filter(|i| i >> bit & 1 == 1)
                .map(|i| one_hot[i])
                .collect();
            m.or(&with_bit)
        })
        .collect();
    columns.reverse();
    m.concat(&columns)
}

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

/// The first free slot of the emptiest bucket, the leftmost way first, one-hot; and whether there is one.
pub(super) fn emptiest(m: &mut Module, taken: &[Node]) -> (Node, Vec<Node>) {
    let ways = taken.chunks_exact(SLOTS as usize).enumerate();
    let (mut empty, mut room) = (Vec::new(), Vec::new());
    for (way, slots) in ways {
        let some = m.or(slots);
        let none = m.not(some);
        empty.push(m.name(none, format!("way_{way}_is_empty")));
        let all = m.and(slots);
        let some_free = m.not(all);
        room.push(m.name(some_free, format!("way_{way}_has_room")));
    }
    let any_empty = m.or(&empty);
    m.name(any_empty, "some_way_is_empty");
    let any_room = m.or(&room);
    m.name(any_room, "some_way_has_room");
    let (empty, room) = (first(m, &empty), first(m, &room));
    let mut places = Vec::new();
    for (way, slots) in taken.chunks_exact(SLOTS as usize).enumerate() {
        let here = m.mux(any_empty, empty[way], room[way]);
        m.name(here, format!("way_{way}_is_emptiest"));
        let free = m.not(slots[0]);
        for (slot, free) in [free, slots[0]].into_iter().enumerate() {
            let place = m.and(&[here, free]);
            places.push(m.name(place, format!("emptiest_is_{}", way * 2 + slot)));
        }
    }
    (any_room, places)
}

/// The first one only.
fn first(m: &mut Module, all: &[Node]) -> Vec<Node> {
    (0..all.len())
        .map(|number| match &all[..number] {
            [] => all[0],
            before => {
                let earlier = m.or(before);
                let none = m.not(earlier);
                m.and(&[all[number], none])
            }
        })
        .collect()
}
