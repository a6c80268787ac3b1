//! Forwarding: what commits write reaches the packets behind them.
//!
//! The memories show a commit to what is read in a later clock. A packet whose buckets were read before misses the commits of as
//! many clocks as lie between the read and the compare; these are kept, and patched into what was read when it is compared. From
//! then on, until the packet's own commit, each clock adds the commit of that clock.
//!
//! Which slots are taken is always patched: where a key goes depends on it. That the packet's own key was put in or removed
//! is patched with [`Hash::forward`] only; without, the caller keeps packets with the same key apart.

use super::places::row_of_place;
use super::{Hash, SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// A write to the buckets.
pub(super) struct Commit {
    /// What it is called in names.
    label: &'static str,
    pub(super) write: Node,
    pub(super) occupy: Node,
    pub(super) row: Node,
    pub(super) place: Node,
    /// The key that is written or removed; only with forwarding.
    key: Option<Node>,
}

/// What the buckets do not show yet when they are compared, the oldest first. The last one is that of the present clock.
pub(super) struct Commits(Vec<Commit>);

/// Where a key lies. Its row follows from its place, and is chosen when it is needed: the compares leave no time for that.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) hit: Node,
    pub(super) place: Node,
}

impl Commits {
    /// The commit stage is made last: until then its effect is wires.
    pub(super) fn new(m: &mut Module, config: &Hash) -> Commits {
        let keeps_key = config.forward || config.turns() > 0;
        let now = Commit {
            label: "commit",
            write: m.wire(1, "commit_write"),
            occupy: m.wire(1, "commit_occupies"),
            row: m.wire(Hash::row_bits(config.max_entries), "commit_row"),
            place: m.wire(index_bits(u64::from(WAYS * SLOTS)), "commit_place"),
            key: keeps_key.then(|| m.wire(config.key_bits, "commit_key")),
        };
        let mut commits = vec![now];
        let before = Hash::answer_clocks(config.registers) as usize - 1;
        for label in &["last", "before_last"][..before] {
            commits.insert(0, commits[0].delayed(m, label, config.forward));
        }
        Commits(commits)
    }

    /// That of the present clock.
    pub(super) fn now(&self) -> &Commit {
        &self.0[self.0.len() - 1]
    }

    /// What was found in the memories, as it is after the commits that they do not show. `looks_up`: a key is meant, not a slot.
    pub(super) fn forward(
        &self,
        m: &mut Module,
        config: &Hash,
        (key, rows): (Node, Node),
        looks_up: Option<Node>,
        (mut found, mut taken): (Found, Vec<Node>),
    ) -> (Found, Vec<Node>) {
        for commit in &self.0 {
            if let (true, Some(looks_up)) = (config.evicts(), looks_up) {
                found = found.unless_displaced(m, commit, rows, looks_up);
            }
            if let (true, Some(looks_up)) = (config.forward, looks_up) {
                found = found.after(m, commit, key, looks_up);
            }
            let touched = commit.touched(m, rows);
            taken = commit.patched(m, &touched, &taken);
        }
        (found, taken)
    }
}

impl Commit {
    /// The same a clock later.
    fn delayed(&self, m: &mut Module, label: &'static str, keeps_key: bool) -> Commit {
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

    /// Says what the wires of the commit stage are.
    pub(super) fn drive(
        &self,
        m: &mut Module,
        write: Node,
        occupy: Node,
        at: [Node; 2],
        key: Node,
    ) {
        let [row, place] = at;
        m.drive(self.write, write);
        m.drive(self.occupy, occupy);
        m.drive(self.row, row);
        m.drive(self.place, place);
        if let Some(wire) = self.key {
            m.drive(wire, key);
        }
    }

    /// Which slots of a packet's buckets are written: by place.
    pub(super) fn touched(&self, m: &mut Module, rows: Node) -> Vec<Node> {
        let row_bits = m.width(rows) / WAYS;
        (0..WAYS * SLOTS)
            .map(|place| {
                let row = m.slice(rows, place / SLOTS * row_bits, row_bits);
                let same_row = m.eq(row, self.row);
                let same_place = m.eq_const(self.place, u64::from(place));
                let hit = m.and(&[self.write, same_row, same_place]);
                m.name(hit, format!("{}_at_{place}", self.label))
            })
            .collect()
    }

    /// Whether slots are taken after a commit that touches some of them.
    pub(super) fn patched(&self, m: &mut Module, touched: &[Node], taken: &[Node]) -> Vec<Node> {
        let both = touched.iter().zip(taken);
        both.map(|(touched, taken)| m.mux(*touched, self.occupy, *taken))
            .collect()
    }
}

impl Found {
    /// The entry: way, slot, row.
    pub(super) fn entry(self, m: &mut Module, rows: Node) -> Node {
        let row = row_of_place(m, rows, self.place);
        m.concat(&[self.place, row])
    }

    /// The same after a commit, when it is one of the same key.
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
