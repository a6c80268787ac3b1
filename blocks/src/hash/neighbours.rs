//! What a packet has in common with one that commits, compared a clock before the two meet.
//!
//! Packets move in step: two that meet, one in its commit stage and one behind it, stood a stage earlier in the clock before.
//! Their buckets and keys are compared there, so that in the clock of the commit a register says whether it concerns the other.

use super::{Hash, HashKeyIn, WAYS};
use crate::same_key::same_key;
use hardpath_rtl::{Module, Node};

/// A packet's key at a port.
#[derive(Clone, Copy)]
pub(super) struct Passing {
    pub(super) rows: Node,
    pub(super) key: Node,
}

/// A packet that commits, as it stands a clock before somebody meets it.
pub(super) struct Committer {
    /// Its port.
    pub(super) port: usize,
    /// It is this one, of several; `None`: the one that commits when no other does.
    pub(super) own: Option<Node>,
    pub(super) before: Passing,
}

/// What two packets have in common, in the clock in which they meet.
pub(super) struct Common {
    /// By way: the bucket.
    pub(super) rows: Vec<Node>,
    /// The key, where somebody asks.
    pub(super) key: Option<Node>,
}

impl Passing {
    /// Of these names, driven later.
    pub(super) fn wires(m: &mut Module, config: &Hash, [rows, key]: [String; 2]) -> Passing {
        Passing {
            rows: m.wire(WAYS * Hash::row_bits(config.max_entries), rows),
            key: m.wire(config.key_bits, key),
        }
    }

    /// Compares the two in this clock; the answer stands in registers in the next.
    fn common(self, m: &mut Module, other: Passing, asks_key: bool, name: &str) -> Common {
        let row_bits = m.width(self.rows) / WAYS;
        let rows = (0..WAYS).map(|way| {
            let [mine, others] =
                [self.rows, other.rows].map(|rows| m.slice(rows, way * row_bits, row_bits));
            let same = m.eq(mine, others);
            m.delay(format!("{name}_same_bucket_{way}"), same)
        });
        let rows = rows.collect();
        let key = asks_key.then(|| {
            let same = same_key(m, self.key, other.key);
            m.delay(format!("{name}_same_key"), same)
        });
        Common { rows, key }
    }
}

impl Common {
    /// What a packet, as it stands a clock before, has in common with the one of those that commits.
    pub(super) fn with(
        m: &mut Module,
        committers: &[Committer],
        before: Passing,
        asks_key: bool,
        name: &str,
    ) -> Common {
        let mut all: Option<Common> = None;
        for (number, committer) in committers.iter().enumerate() {
            let name = match number {
                0 => name.to_string(),
                _ => format!("{name}_by_{number}"),
            };
            let common = before.common(m, committer.before, asks_key, &name);
            all = Some(match (all, committer.own) {
                (Some(others), Some(own)) => common.where_own(m, own, &others),
                _ => common,
            });
        }
        all.expect("somebody commits")
    }

    fn where_own(&self, m: &mut Module, own: Node, others: &Common) -> Common {
        let rows = self.rows.iter().zip(&others.rows);
        let rows = rows.map(|(mine, other)| m.mux(own, *mine, *other));
        Common {
            rows: rows.collect(),
            key: (self.key.zip(others.key)).map(|(mine, other)| m.mux(own, mine, other)),
        }
    }
}

/// A port updates or deletes.
pub(super) fn commits(m: &mut Module, input: &HashKeyIn) -> Option<Node> {
    let update = input.update.as_ref().map(|update| update.update);
    let commits: Vec<Node> = update.into_iter().chain(input.remove).collect();
    (!commits.is_empty()).then(|| m.or(&commits))
}

/// The first of several ports commits for the host only, and when nobody commits it does not matter who would. Where keys are
/// forgotten (`evicts`) it does: the first port then has its turn.
pub(super) fn is_hosts_alone(keys: &[HashKeyIn], evicts: bool) -> bool {
    let commits = keys[0].update.is_some() || keys[0].remove.is_some();
    keys.len() > 1 && !commits && !evicts
}

/// By port: it is the one that commits, when none behind it is; `None`: it never commits. `host`: the host does, by the first
/// port.
///
/// Where the first port is the host's alone, the next one stands back for the host only, which is known early.
pub(super) fn turns(
    m: &mut Module,
    config: &Hash,
    keys: &[HashKeyIn],
    host: Node,
) -> Vec<Option<Node>> {
    let mut turns: Vec<Option<Node>> = keys.iter().map(|input| commits(m, input)).collect();
    if is_hosts_alone(keys, config.evicts()) {
        if let Some(next) = turns.iter_mut().flatten().next() {
            *next = m.not(host);
        }
    }
    turns
}
