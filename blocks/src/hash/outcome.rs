//! What becomes of a key that was compared with what the memories gave: commits that they do not show may have put it in, or taken
//! it out.
//!
//! In a table that does not forget, a new key goes to a slot that is free, and only a key's own removal takes it out. So commits of
//! other keys change nothing, and a key that is put in was nowhere: one choice behind all compares ([`Outcome`]). In a table that
//! forgets, a commit can put another key where the packet's is: what counts is the last write to each slot ([`LastWrites`]).

use super::forward::Found;
use super::{Hash, SLOTS, WAYS};
use crate::index_bits;
use crate::one_hot::encode;
use hardpath_rtl::{Module, Node};

/// What the memories say of a packet's key, and what it becomes.
pub(super) struct Matches {
    /// By place.
    pub(super) hits: Vec<Node>,
    pub(super) outcome: Outcome,
}

impl Matches {
    /// Where the key is. The compares are known last: what becomes of them is one choice behind them.
    pub(super) fn found(self, m: &mut Module) -> Found {
        let Outcome {
            stays,
            put,
            moved,
            place,
        } = self.outcome;
        let hits = m.concat(&self.hits);
        let some = m.reduce_or(hits);
        let stays = m.and(&[some, stays]);
        let there = encode(m, &self.hits);
        Found {
            hit: m.or(&[stays, put]),
            place: m.mux(moved, place, there),
        }
    }
}

/// What becomes of a key that the memories have, or have not.
pub(super) struct Outcome {
    /// It stays where it is.
    stays: Node,
    /// It is there anyway …
    put: Node,
    /// … and not where the memories say …
    moved: Node,
    /// … but here.
    place: Node,
}

impl Outcome {
    pub(super) fn nothing(m: &mut Module) -> Outcome {
        Outcome {
            stays: m.one(),
            put: m.zero(1),
            moved: m.zero(1),
            place: m.zero(index_bits(u64::from(WAYS * SLOTS))),
        }
    }

    /// After a commit.
    pub(super) fn follow(&mut self, m: &mut Module, change: Change) {
        let stays = m.not(change.takes);
        let put = m.and(&[self.put, stays]);
        *self = Outcome {
            stays: m.and(&[self.stays, stays]),
            put: m.or(&[put, change.puts]),
            moved: m.or(&[self.moved, change.puts]),
            place: m.mux(change.puts, change.place, self.place),
        };
    }

    /// Not the key is meant then, but this place, which has one or not.
    pub(super) fn or_place(
        &mut self,
        m: &mut Module,
        is_meant: Node,
        (exists, place): (Node, Node),
    ) {
        let by_key = m.not(is_meant);
        *self = Outcome {
            stays: m.and(&[self.stays, by_key]),
            put: m.mux(is_meant, exists, self.put),
            moved: m.or(&[self.moved, is_meant]),
            place: m.mux(is_meant, place, self.place),
        };
    }
}

/// What a commit does to a packet's key.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// It is put in.
    pub(super) puts: Node,
    /// Where, when it is.
    pub(super) place: Node,
    /// It is taken out.
    pub(super) takes: Node,
}

/// The last write to each slot.
pub(super) struct LastWrites {
    /// There was one.
    written: Vec<Node>,
    /// It put the packet's key in.
    holds: Vec<Node>,
}

impl LastWrites {
    pub(super) fn none(m: &mut Module, places: usize) -> LastWrites {
        let none = vec![m.zero(1); places];
        LastWrites {
            written: none.clone(),
            holds: none,
        }
    }

    pub(super) fn follow(&mut self, m: &mut Module, touched: &[Node], change: Option<Change>) {
        let puts = change.map_or_else(|| m.zero(1), |change| change.puts);
        for (place, touched) in touched.iter().enumerate() {
            self.holds[place] = m.mux(*touched, puts, self.holds[place]);
            self.written[place] = m.or(&[*touched, self.written[place]]);
        }
    }

    /// Hits by place, after the writes.
    pub(super) fn patch(
        self,
        m: &mut Module,
        config: &Hash,
        name: impl Fn(String) -> String,
        hits: &[Node],
    ) -> Vec<Node> {
        let hits = hits.iter().enumerate().map(|(place, hit)| {
            let (written, holds) = (self.written[place], self.holds[place]);
            m.name(written, name(format!("written_at_{place}")));
            if config.forward {
                m.name(holds, name(format!("key_put_at_{place}")));
            }
            m.mux(written, holds, *hit)
        });
        hits.collect()
    }
}
