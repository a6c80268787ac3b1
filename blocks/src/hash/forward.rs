//! Forwarding: what commits write reaches the packets behind them.
//!
//! The memories show a commit to what is read in a later clock. A packet whose buckets were read before misses the commits of as
//! many clocks as lie between the read and the compare; these are kept, and patched into what was read when it is compared. From
//! then on, until the packet's own commit, each clock adds the commit of that clock.
//!
//! Which slots are taken is always patched: where a key goes depends on it. That the packet's own key was put in or removed
//! is patched with [`Hash::forward`] only; without, the caller keeps packets with the same key apart.
//!
//! Whether a commit concerns a packet is known a clock before ([`super::neighbours`]), so a patch is a select by registers.

use super::commit::{Decision, Ready};
use super::lookup::Lane;
use super::neighbours::{commits, Committer, Common, Passing};
use super::places::row_of_place;
use super::{Hash, HashKeyIn, SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::signals::numbered;
use hardpath_rtl::{Module, Node};

/// A write to the buckets.
pub(super) struct Commit {
    /// What it is called in names.
    label: &'static str,
    /// The places that are written, one at most.
    at: Node,
    pub(super) occupy: Node,
    /// Who may have committed: of several ports only in the present clock, and one did.
    committers: Vec<Committer>,
}

/// What the buckets do not show yet when they are compared.
pub(super) struct Commits {
    /// That of the present clock.
    pub(super) now: Commit,
    /// Something is written.
    write: Node,
    place: Node,
    /// Who commits.
    active: Passing,
    /// Those before, the oldest first.
    older: Vec<Commit>,
}

/// Where a key lies. Its row follows from its place, and is chosen when it is needed: the compares leave no time for that.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) hit: Node,
    pub(super) place: Node,
}

impl Commits {
    /// The commit stage is made last: until then its effect is wires.
    pub(super) fn new(m: &mut Module, config: &Hash, keys: &[HashKeyIn]) -> Commits {
        let now = Commit::now(m, config, keys);
        let active = Passing::wires(m, config, ["commit_rows", "commit_key"].map(String::from));
        let labels = &["last", "before_last"][..Hash::answer_clocks(config.registers) as usize - 1];
        let mut older: Vec<Commit> = Vec::new();
        for label in labels {
            let last = match older.first() {
                None => now.older(m, label, active),
                Some(commit) => {
                    let Passing { rows, key } = commit.committers[0].before;
                    let who = Passing {
                        rows: m.delay(format!("{label}_rows"), rows),
                        key: match config.forward {
                            true => m.delay(format!("{label}_key"), key),
                            false => key,
                        },
                    };
                    commit.older(m, label, who)
                }
            };
            older.insert(0, last);
        }
        Commits {
            now,
            write: m.wire(1, "commit_write"),
            place: m.wire(index_bits(u64::from(WAYS * SLOTS)), "commit_place"),
            active,
            older,
        }
    }

    /// Says what the wires of the commit stage are.
    pub(super) fn drive(
        &self,
        m: &mut Module,
        (active, decision): (&Ready, &Decision),
        lanes: &[Lane],
    ) {
        m.drive(self.now.at, decision.write_at);
        m.drive(self.now.occupy, decision.insert);
        m.drive(self.write, decision.write_key);
        m.drive(self.place, decision.place);
        m.drive(self.active.rows, active.rows);
        m.drive(self.active.key, active.key);
        for committer in &self.now.committers {
            let before = lanes[committer.port].before;
            m.drive(committer.before.rows, before.rows);
            m.drive(committer.before.key, before.key);
        }
    }

    /// What was found in the memories, by place, as it is after the commits that they do not show: where the key is, and which slots
    /// are taken. `before`: the packet a clock before.
    pub(super) fn forward(
        &self,
        m: &mut Module,
        config: &Hash,
        before: Passing,
        name: impl Fn(String) -> String,
        (hits, mut taken): (Vec<Node>, Vec<Node>),
    ) -> (Vec<Node>, Vec<Node>) {
        let zero = m.zero(1);
        // Of the last write to each of the slots: whether there was one, and whether it put the key in.
        let mut written = vec![zero; hits.len()];
        let mut holds = vec![zero; hits.len()];
        for commit in self.older.iter().chain([&self.now]) {
            let common = commit.common(m, before, config.forward, &name);
            let touched = commit.touched(m, &common, &name);
            taken = commit.patched(m, &touched, &taken);
            let puts = match common.key {
                Some(same) => {
                    let puts = m.and(&[commit.occupy, same]);
                    m.name(puts, name(format!("{}_puts_key", commit.label)))
                }
                None => zero,
            };
            for (place, touched) in touched.into_iter().enumerate() {
                holds[place] = m.mux(touched, puts, holds[place]);
                written[place] = m.or(&[touched, written[place]]);
            }
        }
        if !config.forward && !config.evicts() {
            return (hits, taken);
        }
        let hits = hits.into_iter().enumerate().map(|(place, hit)| {
            m.name(written[place], name(format!("written_at_{place}")));
            if config.forward {
                m.name(holds[place], name(format!("key_put_at_{place}")));
            }
            m.mux(written[place], holds[place], hit)
        });
        (hits.collect(), taken)
    }
}

impl Commit {
    /// That of the present clock: by the port that commits.
    fn now(m: &mut Module, config: &Hash, keys: &[HashKeyIn]) -> Commit {
        let mut committers = Vec::new();
        for (port, input) in keys.iter().enumerate() {
            let own = commits(m, input);
            if port == 0 || own.is_some() {
                let names = ["rows_before_commit", "key_before_commit"];
                let names = names.map(|name| numbered(name, port));
                let before = Passing::wires(m, config, names);
                committers.push(Committer { port, own, before });
            }
        }
        Commit {
            label: "commit",
            at: m.wire(WAYS * SLOTS, "commit_at"),
            occupy: m.wire(1, "commit_occupies"),
            committers,
        }
    }

    /// The same a clock later. `who`: who committed, a clock before then.
    fn older(&self, m: &mut Module, label: &'static str, who: Passing) -> Commit {
        let committer = Committer {
            port: 0,
            own: None,
            before: who,
        };
        Commit {
            label,
            at: m.delay_reset(format!("{label}_at"), self.at),
            occupy: m.delay(format!("{label}_occupies"), self.occupy),
            committers: vec![committer],
        }
    }

    /// What it has in common with a packet that stands so a clock before.
    pub(super) fn common(
        &self,
        m: &mut Module,
        before: Passing,
        asks_key: bool,
        name: impl Fn(String) -> String,
    ) -> Common {
        let name = name(self.label.to_string());
        Common::with(m, &self.committers, before, asks_key, &name)
    }

    /// Which slots of a packet's buckets are written: by place.
    pub(super) fn touched(
        &self,
        m: &mut Module,
        common: &Common,
        name: impl Fn(String) -> String,
    ) -> Vec<Node> {
        (0..WAYS * SLOTS)
            .map(|place| {
                let here = m.bit(self.at, place);
                let touched = m.and(&[here, common.rows[(place / SLOTS) as usize]]);
                m.name(touched, name(format!("{}_at_{place}", self.label)))
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

    /// The same after the commit of this clock, when it is one of the same key.
    pub(super) fn after(self, m: &mut Module, commits: &Commits, same_key: Node) -> Found {
        let changes = m.and(&[same_key, commits.write]);
        m.name(changes, "commit_has_key");
        Found {
            hit: m.mux(changes, commits.now.occupy, self.hit),
            place: m.mux(changes, commits.place, self.place),
        }
    }
}
