//! What a packet holds that asks for one key behind the other: entries that it has found and may still mean. Nobody takes them.
//!
//! Those of the last lookups are held, until all are given up together. Which of a key's places are held is known a clock before its
//! commit, so a lookup in the clock before does not count yet: whoever holds an entry has its answer before it asks again.

use super::places::row_of_place;
use super::{Hash, SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Module, Node, Reg};

/// The entries of the last lookups, the newest first.
pub(super) struct Holds(Vec<Entry>);

struct Entry {
    held: (Reg, Node),
    place: (Reg, Node),
    row: (Reg, Node),
}

impl Holds {
    pub(super) fn new(m: &mut Module, config: &Hash) -> Holds {
        let place_bits = index_bits(u64::from(WAYS * SLOTS));
        let row_bits = Hash::row_bits(config.max_entries);
        let entries = (0..config.holds).map(|number| Entry {
            held: m.reg_reset(format!("holds_{number}"), 1, 0),
            place: m.reg(format!("holds_place_{number}"), place_bits),
            row: m.reg(format!("holds_row_{number}"), row_bits),
        });
        Holds(entries.collect())
    }

    /// In the commit stage, by place: of a key that lies in these rows a clock before. Empty where nothing is held at all.
    pub(super) fn held(&self, m: &mut Module, rows: Node) -> Vec<Node> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let row_bits = m.width(rows) / WAYS;
        let mut places = Vec::new();
        for way in 0..WAYS {
            let row = m.slice(rows, way * row_bits, row_bits);
            let here = self.0.iter().map(|entry| {
                let same = m.eq(entry.row.1, row);
                (entry.place.1, m.and(&[entry.held.1, same]))
            });
            let here: Vec<(Node, Node)> = here.collect();
            for slot in 0..SLOTS {
                let number = way * SLOTS + slot;
                let held = here.iter().map(|(place, here)| {
                    let this = m.eq_const(*place, number.into());
                    m.and(&[this, *here])
                });
                let held: Vec<Node> = held.collect();
                let held = m.or(&held);
                places.push(m.delay(format!("held_{number}"), held));
            }
        }
        places
    }

    /// The commit stage: a lookup finds its key in this place of these rows. `releases`: nothing is held any more.
    pub(super) fn follow(
        self,
        m: &mut Module,
        finds: Node,
        (place, rows): (Node, Node),
        releases: Node,
    ) {
        let stays = m.not(releases);
        let row = row_of_place(m, rows, place);
        let mut newer = (finds, place, row);
        for entry in self.0 {
            let kept = m.mux(finds, newer.0, entry.held.1);
            let kept = m.and(&[kept, stays]);
            m.set_next(entry.held.0, kept);
            m.set_next_when(entry.place.0, finds, newer.1);
            m.set_next_when(entry.row.0, finds, newer.2);
            newer = (entry.held.1, entry.place.1, entry.row.1);
        }
    }
}
