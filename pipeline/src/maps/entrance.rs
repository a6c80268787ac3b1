//! The entrance of a hazard window: the segment FIFO, and what the packet at its head waits for.

use super::windows::Replay;
use crate::lower::Lower;
use crate::plan::{Class, Gate};
use crate::segments::BaseId;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::replay_fifo::{replay_fifo, ReplayFifoIn};
use hardpath_rtl::Node;

/// Clocks in which a host's write is not seen yet by a read behind it: from address to commit of a map that the program
/// does not write. At the pipeline's entrance the hold keeps packets away for longer.
const CLOCKS_BEHIND_HOST: u32 = 3;

/// The oldest slot in a segment FIFO.
struct Head {
    valid: Node,
    /// All that was carried.
    word: Node,
    /// It is a packet, or an operation of the host.
    packet: Node,
    host: Node,
    /// Nothing is inside the window; only where it is replayed.
    idle: Option<Node>,
}

impl Lower<'_> {
    /// The segment FIFO and the entrances of the windows that begin here. Gives the window that is replayed when it does.
    pub(crate) fn gate(
        &mut self,
        stage: u32,
        accesses: &[usize],
        runs: Vec<(BaseId, u32, Node)>,
    ) -> Option<Replay> {
        let enter = self.m.wire(1, format!("enter_s{stage}"));
        let replay = self.start_replay(stage, accesses);
        let head = self.segment(stage, enter, &runs, replay.as_ref());
        self.take_head(stage, &head, runs);
        let slots = accesses.iter().map(|number| self.plan[*number].slots());
        let turns = slots.max().unwrap_or(1);
        let mut free = vec![head.valid];
        for number in accesses {
            if self.plan[*number].gate() != Some(Gate::Replay) {
                let blocks = self.interlock(stage, *number, head.packet, head.host, enter);
                free.push(self.m.not(blocks));
                self.stalls(blocks);
            }
        }
        if let (Some(replay), Some(idle)) = (&replay, head.idle) {
            // What is void now starts again in the next clock. A host's operation must happen once: it enters when
            // nothing is inside that could take it along.
            free.push(self.m.not(replay.flush));
            let not_host = self.m.not(head.host);
            let quiet = self.idle_since(stage, idle, turns);
            free.push(self.m.or(&[not_host, quiet]));
            self.stalls(replay.flush);
        }
        free.extend(self.behind_others(stage, enter, head.host, turns));
        let go = self.m.and(&free);
        self.m.drive(enter, go);
        let valid = self.m.and(&[enter, head.packet]);
        self.valid = self.m.name(valid, format!("valid_s{stage}"));
        let host = self.m.and(&[enter, head.host]);
        self.host = Some(self.m.name(host, format!("host_s{stage}")));
        replay
    }

    /// The segment FIFO. `enter`: its head goes on; `runs`: what is carried.
    fn segment(
        &mut self,
        stage: u32,
        enter: Node,
        runs: &[(BaseId, u32, Node)],
        replay: Option<&Replay>,
    ) -> Head {
        let host = self.host.expect("a design with maps has host slots");
        let mut parts: Vec<Node> = vec![self.valid, host];
        parts.extend(runs.iter().map(|(_, _, node)| *node));
        let data_in = self.m.concat(&parts);
        let width = self.m.width(data_in);
        let name = format!("{}_segment_{stage}", self.prefix);
        let push = self.m.or(&[self.valid, host]);
        let instance = format!("segment_{stage}");
        let pop = enter;
        let (valid, word, idle) = match replay {
            Some(replay) => {
                let inputs = ReplayFifoIn {
                    push,
                    data_in,
                    pop,
                    retire: replay.retire,
                    rewind: replay.flush,
                };
                let fifo = replay_fifo(&name, width, self.credits);
                let fifo = fifo.place(self.design, &mut self.m, instance, inputs).out;
                (fifo.valid, fifo.data_out, Some(fifo.idle))
            }
            None => {
                let inputs = FifoIn { push, data_in, pop };
                let fifo = fifo(&name, width, self.credits);
                let fifo = fifo.place(self.design, &mut self.m, instance, inputs).out;
                (fifo.valid, fifo.data_out, None)
            }
        };
        self.m.name(valid, format!("waiting_s{stage}"));
        self.m.name(word, format!("head_s{stage}"));
        self.register_bits += u64::from(width);
        Head {
            valid,
            word,
            packet: self.m.bit(word, width - 1),
            host: self.m.bit(word, width - 2),
            idle,
        }
    }

    /// What was carried is that of the head from here on.
    fn take_head(&mut self, stage: u32, head: &Head, runs: Vec<(BaseId, u32, Node)>) {
        let mut at = self.m.width(head.word) - 2;
        for (base, lo, node) in runs {
            let bits = self.m.width(node);
            at -= bits;
            let part = self.m.slice(head.word, at, bits);
            let name = self.run_name(base, lo, bits, stage);
            let part = self.m.alias(part, name);
            self.present[base].push((lo, part));
        }
    }

    /// A packet waits when this holds, too.
    fn stalls(&mut self, waits: Node) {
        self.stall = Some(match self.stall {
            None => waits,
            Some(other) => self.m.or(&[other, waits]),
        });
    }

    /// What must hold because of those who entered before.
    fn behind_others(&mut self, stage: u32, enter: Node, host: Node, turns: u32) -> Vec<Node> {
        let mut free = Vec::new();
        // A packet whose commits take several clocks keeps the next one away for so long.
        let mut before = enter;
        for clock in 1..turns {
            let name = format!("entered_{clock}_before_s{stage}");
            before = self.m.delay_reset(name, before);
            free.push(self.m.not(before));
        }
        // Behind the entrance slots may follow each other closely again. A host operation's writes to maps that the
        // program only reads are not forwarded: what is behind it comes when they are seen.
        let mut after_host = self.m.and(&[enter, host]);
        for clock in 1..=CLOCKS_BEHIND_HOST {
            let name = format!("behind_host_{clock}_s{stage}");
            after_host = self.m.delay_reset(name, after_host);
            free.push(self.m.not(after_host));
        }
        if self.needs_quiet_host(stage) {
            let quiet = self.quiet(stage, enter);
            let not_host = self.m.not(host);
            free.push(self.m.or(&[not_host, quiet]));
        }
        free
    }

    /// Whether a table behind this entrance forwards by key: the host's dump reads a slot, which is not forwarded, so
    /// it must come after some empty slots. At the design's own entrance it always does.
    fn needs_quiet_host(&self, stage: u32) -> bool {
        self.plan
            .iter()
            .zip(&self.schedule.accesses)
            .any(|(access, stages)| {
                access.is_structural()
                    && matches!(access.keys, Class::Fused { .. })
                    && stages.ports[0].table >= stage
            })
    }

    /// Nothing is inside, and the last packet's commits have all had their turns.
    fn idle_since(&mut self, stage: u32, idle: Node, turns: u32) -> Node {
        let mut all = vec![idle];
        let mut before = idle;
        for clock in 1..turns {
            before = self
                .m
                .delay(format!("idle_{clock}_before_s{stage}"), before);
            all.push(before);
        }
        self.m.and(&all)
    }

    /// Nothing entered here in the last three clocks.
    fn quiet(&mut self, stage: u32, enter: Node) -> Node {
        let mut entered = enter;
        let mut recent = Vec::new();
        for clock in 1..=3 {
            entered = self
                .m
                .delay_reset(format!("entered_s{stage}_{clock}_ago"), entered);
            recent.push(entered);
        }
        let busy = self.m.or(&recent);
        self.m.not(busy)
    }
}
