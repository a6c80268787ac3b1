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

/// The first free slot of the emptiest bucket, the leftmost way first; and whether there is one.
pub(super) fn emptiest(m: &mut Module, taken: &[Node]) -> (Node, Node) {
    let empty: Vec<Node> = (0..WAYS as usize)
        .map(|way| {
            let some = m.or(&[taken[way * 2], taken[way * 2 + 1]]);
            let none = m.not(some);
            m.name(none, format!("way_{way}_is_empty"))
        })
        .collect();
    let room: Vec<Node> = (0..WAYS as usize)
        .map(|way| {
            let all = m.and(&[taken[way * 2], taken[way * 2 + 1]]);
            let some_free = m.not(all);
            m.name(some_free, format!("way_{way}_has_room"))
        })
        .collect();
    let any_empty = m.or(&empty);
    m.name(any_empty, "some_way_is_empty");
    let any_room = m.or(&room);
    m.name(any_room, "some_way_has_room");
    let mut way = m.zero(2);
    let mut second = m.zero(1);
    for w in (0..WAYS as usize).rev() {
        let fits = m.mux(any_empty, empty[w], room[w]);
        m.name(fits, format!("way_{w}_fits"));
        let number = m.constant(w as u64, 2);
        way = m.mux(fits, number, way);
        second = m.mux(fits, taken[w * 2], second);
    }
    let place = m.concat(&[way, second]);
    m.name(place, "emptiest_place");
    (any_room, place)
}
