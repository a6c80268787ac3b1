//! What is known of a packet's key on the way to its commit, and what a commit does to those behind it.

use super::evict::{Ranked, Victim};
use super::places::row_of_place;
use super::{SLOTS, WAYS};
use hardpath_rtl::{Module, Node};

/// The signals of a port.
pub(super) struct Inputs {
    pub(super) key: Node,
    pub(super) rows: Node,
    /// Only of a table that evicts: a packet looks the key up.
    pub(super) uses: Option<Node>,
    pub(super) update: Option<ProgramUpdate>,
    pub(super) remove: Option<Node>,
}

/// A port at its commit stage.
#[derive(Clone)]
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
#[derive(Clone)]
pub(super) struct Candidates {
    pub(super) victim: Victim,
    pub(super) ranked: Ranked,
    /// A packet looks the port's key up.
    pub(super) uses: Node,
}

/// The port that commits in this clock, the first one when none does.
pub(super) fn active(m: &mut Module, inputs: &[Inputs], waiting: &[Ready]) -> Ready {
    let mut all = waiting[0].clone();
    for (input, port) in inputs.iter().zip(waiting).skip(1) {
        let Some(own) = commits(m, input) else {
            continue;
        };
        let mut choose = |mine: Node, other: Node| m.mux(own, mine, other);
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
            candidates: match (&port.candidates, &all.candidates) {
                (Some(mine), Some(other)) => Some(Candidates {
                    victim: Victim {
                        place: choose(mine.victim.place, other.victim.place),
                        some: choose(mine.victim.some, other.victim.some),
                    },
                    uses: choose(mine.uses, other.uses),
                    ranked: mine.ranked.choose(m, own, &other.ranked),
                }),
                _ => None,
            },
        };
    }
    all
}

/// A port updates or deletes.
fn commits(m: &mut Module, input: &Inputs) -> Option<Node> {
    let update = input.update.as_ref().map(|update| update.update);
    let commits: Vec<Node> = update.into_iter().chain(input.remove).collect();
    (!commits.is_empty()).then(|| m.or(&commits))
}

/// A key that is young again because a packet found it.
pub(super) struct Seen {
    pub(super) found: Node,
    pub(super) place: Node,
    pub(super) rows: Node,
}

/// What is seen in this clock: that of the port that commits; when none does, each port has its turn, since there is one
/// write to the ages in a clock.
pub(super) fn seen(m: &mut Module, inputs: &[Inputs], waiting: &[Ready], active: Seen) -> Seen {
    let ports = waiting.len();
    if ports == 1 {
        return active;
    }
    let mut busy: Vec<Node> = inputs
        .iter()
        .filter_map(|input| commits(m, input))
        .collect();
    busy.push(waiting[0].host);
    let busy = m.or(&busy);
    let idle = m.not(busy);
    let bits = crate::index_bits(ports as u64);
    let (turn_reg, turn) = m.reg_reset("turn", bits, 0);
    let last = m.eq_const(turn, ports as u64 - 1);
    let next = m.add_const(turn, 1);
    let first = m.zero(bits);
    let next = m.mux(last, first, next);
    m.set_next(turn_reg, next);
    let mut seen = active;
    for (number, port) in waiting.iter().enumerate().skip(1) {
        let uses = inputs[number].uses.expect("of a table that evicts");
        let this = m.eq_const(turn, number as u64);
        let own = m.and(&[this, idle]);
        let found = m.and(&[uses, port.found.hit]);
        seen = Seen {
            found: m.mux(own, found, seen.found),
            place: m.mux(own, port.found.place, seen.place),
            rows: m.mux(own, port.rows, seen.rows),
        };
    }
    seen
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
    pub(super) ranked: Option<Ranked>,
    /// Only where a key can be displaced behind the lookup's answer: the one that was found is gone.
    pub(super) displaced: Option<Node>,
}

/// Which slots of a packet's buckets a commit writes: by place.
pub(super) fn touched(m: &mut Module, commit: &Commit, rows: Node) -> Vec<Node> {
    let row_bits = m.width(rows) / WAYS;
    (0..WAYS * SLOTS)
        .map(|place| {
            let row = m.slice(rows, place / SLOTS * row_bits, row_bits);
            let same_row = m.eq(row, commit.row);
            let same_place = m.eq_const(commit.place, u64::from(place));
            let hit = m.and(&[commit.write, same_row, same_place]);
            m.name(hit, format!("{}_at_{place}", commit.label))
        })
        .collect()
}

/// Whether slots are taken after a commit that touches some of them.
pub(super) fn patched(
    m: &mut Module,
    commit: &Commit,
    touched: &[Node],
    taken: &[Node],
) -> Vec<Node> {
    let both = touched.iter().zip(taken);
    both.map(|(touched, taken)| m.mux(*touched, commit.occupy, *taken))
        .collect()
}
