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

use super::commit::{Decision, Ready, Request};
use super::lookup::Lane;
use super::neighbours::{turns, Committer, Common, Passing};
use super::outcome::{Change, LastWrites, Matches, Outcome};
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
    /// A key is put in.
    pub(super) occupy: Node,
    /// A key is taken out.
    remove: Node,
    /// Where a key is put in, when one is.
    place: Node,
    /// Only of the present clock.
    now: Option<Now>,
    /// Who may have committed: of several ports only in the present clock, and one did.
    committers: Vec<Committer>,
}

/// A commit of the present clock. That the program updates or deletes is known late: what else decides is apart from it.
#[derive(Clone, Copy)]
struct Now {
    updates: Node,
    /// A key is put in if the packet updates.
    may_insert: Node,
    deletes: Node,
    /// The key is there.
    hit: Node,
}

/// What the buckets do not show yet when they are compared.
pub(super) struct Commits {
    /// That of the present clock.
    pub(super) now: Commit,
    /// Something is written.
    write: Node,
    /// The host commits.
    host: Node,
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
        let host = m.wire(1, "host_commits");
        let now = Commit::now(m, config, (keys, host));
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
            host,
            active,
            older,
        }
    }

    /// Says what the wires of the commit stage are.
    pub(super) fn drive(
        &self,
        m: &mut Module,
        (active, request, decision): (&Ready, &Request, &Decision),
        lanes: &[Lane],
    ) {
        m.drive(self.now.at, decision.write_at);
        m.drive(self.now.occupy, decision.insert);
        m.drive(self.now.remove, decision.remove);
        let now = self.now.now.expect("it is that of the present clock");
        m.drive(now.updates, request.update);
        m.drive(now.may_insert, decision.may_insert);
        m.drive(now.deletes, request.delete);
        m.drive(now.hit, active.found.hit);
        m.drive(self.host, active.host);
        m.drive(self.write, decision.write_key);
        m.drive(self.now.place, decision.new_place);
        m.drive(self.active.rows, active.rows);
        m.drive(self.active.key, active.key);
        for committer in &self.now.committers {
            let before = lanes[committer.port].before;
            m.drive(committer.before.rows, before.rows);
            m.drive(committer.before.key, before.key);
        }
    }

    /// Where the key is, and by place which slots are taken, after the commits that the memories do not show. `before`: the packet
    /// a clock before; `hits` and `taken`: what the memories say, by place.
    pub(super) fn forward(
        &self,
        m: &mut Module,
        config: &Hash,
        before: Passing,
        name: impl Fn(String) -> String,
        (hits, mut taken): (Vec<Node>, Vec<Node>),
    ) -> (Matches, Vec<Node>) {
        let mut outcome = Outcome::nothing(m);
        let mut last_writes = LastWrites::none(m, hits.len());
        for commit in self.older.iter().chain([&self.now]) {
            let common = commit.common(m, before, config.forward, &name);
            let touched = commit.touched(m, &common, &name);
            taken = commit.patched(m, &touched, &taken);
            let change = (common.key).map(|same| commit.change(m, same, &name));
            if config.evicts() {
                last_writes.follow(m, &touched, change);
            } else if let Some(change) = change {
                outcome.follow(m, change);
            }
        }
        let hits = match config.evicts() {
            true => last_writes.patch(m, config, &name, &hits),
            false => hits,
        };
        (Matches { hits, outcome }, taken)
    }
}

impl Commit {
    /// That of the present clock: by the port that commits.
    fn now(m: &mut Module, config: &Hash, (keys, host): (&[HashKeyIn], Node)) -> Commit {
        let mut committers = Vec::new();
        for (port, own) in turns(m, config, keys, host).into_iter().enumerate() {
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
            remove: m.wire(1, "commit_removes"),
            place: m.wire(index_bits(u64::from(WAYS * SLOTS)), "commit_place"),
            now: Some(Now {
                updates: m.wire(1, "commit_updates"),
                may_insert: m.wire(1, "commit_may_insert"),
                deletes: m.wire(1, "commit_deletes"),
                hit: m.wire(1, "commit_hits"),
            }),
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
            remove: m.delay(format!("{label}_removes"), self.remove),
            place: m.delay(format!("{label}_place"), self.place),
            now: None,
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

    /// What it does to the key of a packet. `same`: it is one of the same key.
    fn change(&self, m: &mut Module, same: Node, name: impl Fn(String) -> String) -> Change {
        let (puts, takes) = match self.now {
            Some(now) => {
                let may_put = m.and(&[now.may_insert, same]);
                let may_take = m.and(&[now.hit, same]);
                let puts = m.and(&[may_put, now.updates]);
                (puts, m.and(&[may_take, now.deletes]))
            }
            None => (m.and(&[self.occupy, same]), m.and(&[self.remove, same])),
        };
        Change {
            puts: m.name(puts, name(format!("{}_puts_key", self.label))),
            place: self.place,
            takes: m.name(takes, name(format!("{}_takes_key", self.label))),
        }
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
            place: m.mux(changes, commits.now.place, self.place),
        }
    }
}
