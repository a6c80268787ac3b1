//! What is known of a packet's key on the way to its commit, and what a commit does to those behind it.

use super::evict::Victim;
use super::places::row_of_place;
use super::SLOTS;
use hardpath_rtl::{Module, Node};

/// The signals of a port.
pub(super) struct Inputs {
    pub(super) key: Node,
    pub(super) rows: Node,
    pub(super) update: Option<ProgramUpdate>,
    pub(super) remove: Option<Node>,
}

/// A port at its commit stage.
#[derive(Clone, Copy)]
pub(super) struct Ready {
    pub(super) free: Node,
    pub(super) chosen: Node,
    pub(super) found: Found,
    pub(super) rows: Node,
    pub(super) key: Node,
    pub(super) host: Node,
    /// Only in a table that evicts.
    pub(super) candidates: Option<Candidates>,
}

/// Whose place a new key can take.
#[derive(Clone, Copy)]
pub(super) struct Candidates {
    pub(super) victim: Victim,
    /// There is a key in the victim's slot.
    pub(super) displaces: Node,
}

/// The port that commits in this clock, the first one when none does.
pub(super) fn active(m: &mut Module, inputs: &[Inputs], waiting: &[Ready]) -> Ready {
    let mut all = waiting[0];
    for (input, port) in inputs.iter().zip(waiting).skip(1) {
        let update = input.update.as_ref().map(|update| update.update);
        let commits: Vec<Node> = update.into_iter().chain(input.remove).collect();
        if commits.is_empty() {
            continue;
        }
        let commits = m.or(&commits);
        let mut choose = |own: Node, other: Node| m.mux(commits, own, other);
        all = Ready {
            free: choose(port.free, all.free),
            chosen: choose(port.chosen, all.chosen),
            found: Found {
                hit: choose(port.found.hit, all.found.hit),
                place: choose(port.found.place, all.found.place),
            },
            rows: choose(port.rows, all.rows),
            key: choose(port.key, all.key),
            host: all.host,
            candidates: match (port.candidates, all.candidates) {
                (Some(own), Some(other)) => Some(Candidates {
                    victim: Victim {
                        place: choose(own.victim.place, other.victim.place),
                        all_used: choose(own.victim.all_used, other.victim.all_used),
                    },
                    displaces: choose(own.displaces, other.displaces),
                }),
                _ => None,
            },
        };
    }
    all
}

pub(super) struct ProgramUpdate {
    pub(super) update: Node,
    pub(super) no_exist: Node,
    pub(super) must_exist: Node,
    pub(super) bad_flags: Node,
}

/// A write to the buckets.
pub(super) struct Commit {
    /// What it is called in names.
    pub(super) label: &'static str,
    pub(super) write: Node,
    pub(super) occupy: Node,
    pub(super) row: Node,
    pub(super) place: Node,
    /// The key that is written or removed; only with forwarding.
    pub(super) key: Option<Node>,
}

/// Where a key lies. Its row follows from its place, and is chosen when it is needed: the compares leave no time for that.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) hit: Node,
    pub(super) place: Node,
}

impl Commit {
    /// The same a clock later.
    pub(super) fn delayed(&self, m: &mut Module, label: &'static str, keeps_key: bool) -> Commit {
        Commit {
            label,
            write: m.delay_reset(format!("{label}_write"), self.write),
            occupy: m.delay(format!("{label}_occupies"), self.occupy),
            row: m.delay(format!("{label}_row"), self.row),
            place: m.delay(format!("{label}_place"), self.place),
            key: match keeps_key {
                true => self.key.map(|key| m.delay(format!("{label}_key"), key)),
                false => None,
            },
        }
    }
}

impl Found {
    /// The entry: way, slot, row.
    pub(super) fn entry(self, m: &mut Module, rows: Node) -> Node {
        let row = row_of_place(m, rows, self.place);
        m.concat(&[self.place, row])
    }

    /// The same after a commit that the buckets do not show yet, when it is one of the same key.
    pub(super) fn after(self, m: &mut Module, commit: &Commit, key: Node, looks_up: Node) -> Found {
        let committed = commit.key.expect("a table that forwards keeps the key");
        let same = m.eq(committed, key);
        let concerns = m.and(&[same, looks_up]);
        let changes = m.and(&[concerns, commit.write]);
        m.name(changes, format!("{}_has_key", commit.label));
        Found {
            hit: m.mux(changes, commit.occupy, self.hit),
            place: m.mux(changes, commit.place, self.place),
        }
    }
}

/// A packet between the compare and the commit.
pub(super) struct Pending {
    pub(super) rows: Node,
    pub(super) found: Found,
    pub(super) key: Node,
    pub(super) host: Node,
    pub(super) taken: Vec<Node>,
    /// Only in a table that evicts.
    pub(super) victim: Option<Victim>,
}

/// Whether a slot is taken after the commit of another packet, when it was `bit` before.
pub(super) fn patched(
    m: &mut Module,
    commit: &Commit,
    rows: Node,
    place: u32,
    row_bits: u32,
    bit: Node,
) -> Node {
    let row = m.slice(rows, place / SLOTS * row_bits, row_bits);
    let same_row = m.eq(row, commit.row);
    let same_place = m.eq_const(commit.place, u64::from(place));
    let hit = m.and(&[commit.write, same_row, same_place]);
    m.name(hit, format!("{}_at_{place}", commit.label));
    m.mux(hit, commit.occupy, bit)
}
