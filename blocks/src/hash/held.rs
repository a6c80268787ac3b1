//! What a packet with several keys holds: nobody may take from it what it has found or put in itself.
//!
//! In the first turn of a packet all its ports have their answers. A port's candidates that lie where another port found its
//! key are held from then on, and so are those in which a turn before the port's own put a key.

use super::forward::{Commit, Found};
use super::waiting::Pending;
use super::{SLOTS, WAYS};
use hardpath_rtl::{Module, Node};

/// Places of a key, by number.
pub(super) type Held = Vec<Node>;

/// A port from the clock before the packet's first turn to the port's own.
pub(super) struct PacketSlots {
    /// The buckets, a clock before the first turn.
    pub(super) rows_before: Node,
    /// In the first turn: what was found.
    found: Option<Found>,
    /// In the first turn: what was found is gone.
    pub(super) displaced: Option<Node>,
    /// For each turn before the port's own: which of its places it puts a key into.
    puts: Vec<Held>,
}

impl PacketSlots {
    pub(super) fn new(rows_before: Node) -> PacketSlots {
        PacketSlots {
            rows_before,
            found: None,
            displaced: None,
            puts: Vec::new(),
        }
    }

    /// The packet's first turn.
    pub(super) fn come(&mut self, state: &Pending) {
        self.found = Some(state.found);
        self.displaced = state.displaced;
    }

    /// A turn before the port's own, which touches these of its places.
    pub(super) fn turn(&mut self, m: &mut Module, commit: &Commit, touched: &[Node]) {
        let puts = touched.iter();
        let puts = puts.map(|touched| m.and(&[*touched, commit.occupy]));
        self.puts.push(puts.collect());
    }
}

/// Which places of a port's key the packet holds through others, in the port's own turn.
pub(super) fn held(m: &mut Module, ports: &[&PacketSlots], number: usize) -> Held {
    let own = &ports[number];
    let mut held: Held = Vec::new();
    let others: Vec<usize> = (0..ports.len()).filter(|other| *other != number).collect();
    let rivals: Vec<(Found, Vec<Node>)> = others
        .iter()
        .map(|other| {
            let found = ports[*other].found.expect("every port has its turn");
            let same = same_rows(
                m,
                number,
                *other,
                own.rows_before,
                ports[*other].rows_before,
            );
            (found, same)
        })
        .collect();
    for place in 0..WAYS * SLOTS {
        let terms: Vec<Node> = rivals
            .iter()
            .map(|(found, same)| {
                let here = m.eq_const(found.place, u64::from(place));
                m.and(&[found.hit, here, same[(place / SLOTS) as usize]])
            })
            .collect();
        let some = m.or(&terms);
        held.push(m.name(some, format!("held_{number}_{place}")));
    }
    for (turn, puts) in own.puts.iter().enumerate() {
        held = (held.iter().zip(puts).enumerate())
            .map(|(place, (held, put))| {
                let now = m.or(&[*held, *put]);
                m.delay(format!("held_{number}_{place}_turn_{}", turn + 1), now)
            })
            .collect();
    }
    held
}

/// In which ways two keys of a packet have the same bucket: compared a clock before the packet's first turn.
fn same_rows(m: &mut Module, one: usize, other: usize, a: Node, b: Node) -> Vec<Node> {
    let row_bits = m.width(a) / WAYS;
    (0..WAYS)
        .map(|way| {
            let mine = m.slice(a, way * row_bits, row_bits);
            let others = m.slice(b, way * row_bits, row_bits);
            let same = m.eq(mine, others);
            m.delay(format!("same_bucket_{one}_{other}_{way}"), same)
        })
        .collect()
}
