//! The entrances of hazard windows: interlocks, and the window that is replayed.

use super::{Lower, TAG_BITS};
use crate::implication::implies;
use crate::lower::identifier;
use crate::plan::Gate;
use hardpath_blocks::hash::{Evicts, Hash};
use hardpath_blocks::interface::command;
use hardpath_blocks::interlock::{interlock, Interlock, InterlockIn};
use hardpath_ir::Value;
use hardpath_rtl::Node;

/// The window that is replayed, while its stages are made.
pub(crate) struct Replay {
    pub entrance: u32,
    pub commit: u32,
    /// Everything inside the window is void: the packet at the commit read what was not yet written.
    pub flush: Node,
    /// The oldest packet of the window is done with.
    pub retire: Node,
    /// The slot of the present stage read something that has changed since.
    pub stale: Node,
    /// What commits: by access and port.
    commits: Vec<CommitWires>,
}

impl Replay {
    /// A slot of the stage can be made void.
    pub fn inside(&self, stage: u32) -> bool {
        (self.entrance + 1..=self.commit).contains(&stage)
    }
}

#[derive(Clone, Copy)]
struct CommitWires {
    number: usize,
    port: usize,
    write: Node,
    tag: Node,
}

impl Lower<'_> {
    fn tag_bits(&self, number: usize) -> u32 {
        let access = self.access(number);
        let bits = match access.has_keys(self.program) {
            // A key that goes has the first bucket of the one that comes, and so the same tag.
            true if access.evicts(self.program) == Evicts::FirstBucket => {
                Hash::row_bits(self.decl(number).max_entries)
            }
            true => {
                let rows = self.ports.built[number].ports[0].rows;
                self.segments.bases[rows].width
            }
            false => self.index_width(access.map),
        };
        bits.min(TAG_BITS)
    }

    /// What a window's entrance and the window itself look at.
    pub(super) fn demand_for_windows(&mut self, number: usize) {
        let access = self.access(number);
        let Some(entrance) = self.schedule.entrances[number] else {
            return;
        };
        let first = self.ports.built[number].ports[0];
        match access.gate() {
            Some(Gate::Keys) => self.demand_all(self.entrance_guard(number), entrance),
            Some(Gate::Values) if access.is_structural() => {
                self.demand_whole(first.commit_index, entrance);
            }
            Some(Gate::Replay) => {
                let commit = self.stages_of(number).commit;
                let bits = self.tag_bits(number);
                for (port, own) in access.ports.iter().enumerate() {
                    let last = commit + own.slot;
                    match (access.has_keys(self.program), own.key) {
                        (true, _) => {
                            let rows = self.ports.built[number].ports[port].rows;
                            self.segments.demand_bits(rows, 0, bits, last);
                        }
                        (false, Some(index)) if self.has_indexes(number) => {
                            self.demand_low(index, bits, last);
                        }
                        (false, _) => {}
                    }
                    self.demand_all(self.need(number, port), commit - 1);
                    for writer in own.writers() {
                        let guard = self.program.insts[writer].guard;
                        self.demand_all(guard, commit + own.slot);
                    }
                }
            }
            _ => {}
        }
    }

    /// The condition under which a packet looks at what a port gives, when it is known inside the window.
    fn need(&self, number: usize, port: usize) -> Option<Value> {
        self.needs_by(number, port, self.stages_of(number).commit)
    }

    /// The condition under which a packet looks at what a port gives, when it is known before a stage.
    pub(super) fn needs_by(&self, number: usize, port: usize, stage: u32) -> Option<Value> {
        let needs = self.port(number, port).needs?;
        (self.schedule.times[needs].stage < stage).then_some(needs)
    }

    /// The condition under which a packet needs the map at all, when that can be told before the window.
    fn entrance_guard(&self, number: usize) -> Option<Value> {
        let access = self.access(number);
        if access.gate() != Some(Gate::Keys) {
            return None;
        }
        let guard = self.program.insts[access.ports[0].lookup?].guard?;
        let covered = access.ports[0].writers().all(|inst| {
            self.program.insts[inst]
                .guard
                .is_some_and(|other| implies(self.program, other, guard))
        });
        covered.then_some(guard)
    }

    /// What stands for a port's key in the present stage. The host's key is the first port's.
    fn tag(&mut self, number: usize, port: usize) -> Node {
        let access = self.access(number);
        let bits = self.tag_bits(number);
        if access.has_keys(self.program) {
            let rows = self.ports.built[number].ports[port].rows;
            return self.base_bits(rows, 0, bits);
        }
        let index = match access.ports[port].key {
            Some(index) => self.index_tag(number, index),
            None => self.m.zero(bits),
        };
        if port > 0 {
            return index;
        }
        let host = self.host_here(number);
        let host_index = self.question().host_index;
        let host_index = self.m.slice(host_index, 0, bits);
        self.m.mux(host, host_index, index)
    }

    /// What stands for the index of an array. Of a single entry nobody demands one.
    fn index_tag(&mut self, number: usize, index: Value) -> Node {
        let bits = self.tag_bits(number);
        match self.has_indexes(number) {
            true => self.node_low(index, bits),
            false => self.m.zero(bits),
        }
    }

    /// What stands for the key of the head at the entrance. `host`: the head is the host's operation on the map.
    fn entrance_tag(&mut self, number: usize, host: Node) -> Node {
        let access = self.access(number);
        let by_key = access.gate() == Some(Gate::Keys);
        let built = self.ports.built[number].ports[0];
        match (access.has_keys(self.program), by_key) {
            (true, true) => {
                let bits = self.tag_bits(number);
                self.base_bits(built.rows, 0, bits)
            }
            // The entry is known: that of the key that was found or put in.
            (true, false) if access.is_structural() => self.base_node(built.commit_index),
            (true, false) => self.base_node(built.index),
            (false, _) => {
                let bits = self.tag_bits(number);
                let key = access.ports[0].key.expect("a written array has an index");
                let index = self.index_tag(number, key);
                let host_index = self.question().host_index;
                let host_index = self.m.slice(host_index, 0, bits);
                self.m.mux(host, host_index, index)
            }
        }
    }

    /// One map's part of the entrance at a stage; the result is 1 when the head must wait.
    pub(crate) fn interlock(
        &mut self,
        stage: u32,
        number: usize,
        head_packet: Node,
        head_host: Node,
        enter: Node,
    ) -> Node {
        let access = self.access(number);
        let name = identifier(&self.decl(number).name);
        let host = self.selected(number, head_host);
        let by_key = access.gate() == Some(Gate::Keys);
        let tag = self.entrance_tag(number, host);
        let needs = self.condition(self.entrance_guard(number));
        let packet = self.m.and(&[head_packet, needs]);
        let uses = self.m.or(&[packet, host]);
        // The host's dump means a slot, whatever its key is, and what is on its way is not forwarded to it.
        let stages = self.stages_of(number);
        let waits_for_all = by_key.then(|| {
            let last = stages.commit.max(stages.table_commit);
            last - stages.ports[0].table
        });
        let window = self.schedule.window(self.program, access, number);
        let block = interlock(&Interlock {
            name: self.unique_module(format!("{}_interlock_{name}", self.prefix)),
            tag_bits: self.m.width(tag),
            window,
            waits_for_all,
        });
        let head_waits_for_all = by_key.then(|| {
            let command = self.question().host_command;
            let dump = self.m.eq_const(command, u64::from(command::DUMP));
            self.m.and(&[host, dump])
        });
        let inputs = InterlockIn {
            head_uses: uses,
            head_tag: tag,
            enter,
            head_waits_for_all,
        };
        let name = format!("interlock_{name}_{stage}");
        let placed = block.place(self.design, &mut self.m, name, inputs);
        placed.out.blocks
    }

    /// The window that begins at a stage with these accesses, if it is the one that is replayed.
    pub(crate) fn start_replay(&mut self, entrance: u32, accesses: &[usize]) -> Option<Replay> {
        let replayed = |number: &&usize| self.access(**number).gate() == Some(Gate::Replay);
        let first = *accesses.iter().find(replayed)?;
        let flush = self.m.wire(1, "flush");
        let retire = self.m.wire(1, "retire");
        let mut commits = Vec::new();
        for number in accesses {
            let bits = self.tag_bits(*number);
            let name = identifier(&self.decl(*number).name);
            for (port, own) in self.access(*number).ports.iter().enumerate() {
                // The host writes through the first port.
                if port > 0 && own.writers().next().is_none() {
                    continue;
                }
                commits.push(CommitWires {
                    number: *number,
                    port,
                    write: self.m.wire(1, format!("{name}_{number}_{port}_commits")),
                    tag: self
                        .m
                        .wire(bits, format!("{name}_{number}_{port}_commit_tag")),
                });
            }
        }
        Some(Replay {
            entrance,
            commit: self.stages_of(first).commit,
            flush,
            retire,
            stale: self.m.zero(1),
            commits,
        })
    }

    /// Whether the slot of the present stage is stale behind it: it was, or what it has read is committed now.
    pub(crate) fn gets_stale(&mut self, stage: u32, replay: &Replay) -> Node {
        let mut reasons = vec![replay.stale];
        for commit in &replay.commits {
            let access = self.access(commit.number);
            for port in 0..access.ports.len() {
                let at = self.port_stages(commit.number, port);
                let read = match access.has_keys(self.program) {
                    true => at.table,
                    false => at.address,
                };
                if access.ports[port].key.is_none() || read > stage {
                    continue;
                }
                let tag = self.tag(commit.number, port);
                let same = self.m.eq(tag, commit.tag);
                let mut all = vec![commit.write, same];
                if let Some(need) = self.need(commit.number, port) {
                    if self.schedule.times[need].stage <= stage {
                        all.push(self.node(need));
                    }
                }
                let conflict = self.m.and(&all);
                reasons.push(conflict);
            }
        }
        self.m.or(&reasons)
    }

    /// Whether the packet at the commit must run again: it was stale before, or a key that it has found was forgotten for
    /// that of an older packet.
    pub(crate) fn stale_at_commit(&mut self, replay: &Replay) -> Node {
        let mut reasons = vec![replay.stale];
        for number in 0..self.plan.len() {
            if !self.access(number).displaces(self.program) {
                continue;
            }
            for port in 0..self.access(number).ports.len() {
                let at = self.port_stages(number, port);
                // An answer that comes in this very stage has seen all of them.
                if at.table + self.answer_clocks(number) == replay.commit {
                    continue;
                }
                let key = &self.hash_out(number).keys[port];
                reasons.push(key.displaced.expect("of a table that displaces"));
            }
        }
        self.m.or(&reasons)
    }

    /// Says what commits in the present stage.
    pub(crate) fn say_commits(&mut self, stage: u32, replay: &Replay) {
        for wires in &replay.commits {
            let own = self.port(wires.number, wires.port);
            if stage != replay.commit + own.slot {
                continue;
            }
            let mut writes: Vec<Node> = own.writers().map(|inst| self.happens(inst)).collect();
            if wires.port == 0 {
                let host = self.host_here(wires.number);
                let command = self.question().host_command;
                let update = self.m.eq_const(command, u64::from(command::UPDATE));
                let delete = self.m.eq_const(command, u64::from(command::DELETE));
                let changes = self.m.or(&[update, delete]);
                writes.push(self.m.and(&[host, changes]));
            }
            let write = self.m.or(&writes);
            let tag = self.tag(wires.number, wires.port);
            self.m.drive(wires.write, write);
            self.m.drive(wires.tag, tag);
        }
    }
}
