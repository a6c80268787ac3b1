//! The commit stage: one write, the program's or the host's.

use super::host::{check, updates};
use super::late::Late;
use super::read::{host_index, Commit};
use super::{Array, ArrayHostIn, ArrayPutIn, ArraySlotIn, ArrayWriteIn};
use crate::answer::ANSWER_BITS;
use hardpath_rtl::{Module, Node};

/// Most bits of a value that one register keeps, and lets through.
const MOST_LOADS: u32 = 128;

/// The one of several writes that happens in this clock. Where it goes to is [`Commit::drive`]'s.
pub(super) fn joined(m: &mut Module, writes: &[ArrayWriteIn]) -> Option<ArrayPutIn> {
    let mut puts = writes.iter().filter_map(|write| write.put.as_ref());
    let mut all = puts.next()?.clone();
    for other in puts {
        all = ArrayPutIn {
            write: m.or(&[all.write, other.write]),
            write_word: m.mux(other.write, other.write_word, all.write_word),
            changes: Vec::new(),
        };
    }
    Some(all)
}

/// The host's operation in its commit stage.
pub(super) struct HostOperation {
    /// The slot is one.
    is_here: Node,
    /// The same, a register for each so many bits of the value.
    is_here_for: Vec<Node>,
    /// The index that was read, where no write has its own.
    index: Node,
    /// The word that was read.
    old: Node,
}

impl HostOperation {
    /// From stage A, with the first index, to the commit stage; `word`: what is read there.
    pub(super) fn wait(
        m: &mut Module,
        config: &Array,
        slot: &ArraySlotIn,
        index: Node,
        word: Node,
    ) -> HostOperation {
        let mut operation = HostOperation {
            is_here: slot.host_a,
            is_here_for: Vec::new(),
            index,
            old: word,
        };
        let parts = config.value_bits.div_ceil(MOST_LOADS) as usize;
        for clock in 1..=config.host_commit_after {
            if clock == config.host_commit_after && parts > 1 {
                operation.is_here_for = m.delay_copies("host_here", operation.is_here, parts);
            }
            operation.is_here = m.delay_reset(format!("host_{clock}"), operation.is_here);
            if !config.own_write_index {
                operation.index = m.delay(format!("index_{clock}"), operation.index);
            }
            if clock > config.clocks() {
                operation.old = m.delay(format!("old_{clock}"), operation.old);
            }
        }
        if parts == 1 {
            operation.is_here_for = vec![operation.is_here];
        }
        operation
    }

    /// Where the commit stage writes, the host or the first of the program's writes. When the host does, the program does not.
    pub(super) fn first_index(
        &self,
        m: &mut Module,
        writes: &[ArrayWriteIn],
        host: &ArrayHostIn,
    ) -> Node {
        let own = writes.first().and_then(|write| write.write_index);
        match (own, &host.key) {
            (None, _) => self.index,
            (Some(index), None) => index,
            (Some(index), Some(key)) => {
                let width = m.width(index);
                let of_host = host_index(m, key.host_index, width);
                m.mux(self.is_here, of_host, index)
            }
        }
    }

    /// Whether it writes, and its answer.
    pub(super) fn writes(
        &self,
        m: &mut Module,
        config: &Array,
        slot: &ArraySlotIn,
        host: &ArrayHostIn,
    ) -> (Node, Node) {
        let (write, answer) = match &host.key {
            Some(key) => check(m, config, key, self.old),
            None => (
                slot.host_write_ok.expect("given with Follows"),
                m.zero(ANSWER_BITS),
            ),
        };
        let writes = m.and(&[self.is_here, write]);
        (m.name(writes, "host_writes"), answer)
    }

    /// What is written in this clock: the program's word, but the host's where its operation is, and in the sweep, when that is 0.
    pub(super) fn either_word(
        &self,
        m: &mut Module,
        config: &Array,
        host: &ArrayHostIn,
        (program, late): (Option<ArrayPutIn>, Option<&Late>),
    ) -> Node {
        let word = self.word(m, config, host);
        match program {
            Some(program) if config.host_alone => {
                let word = self.where_here(m, word);
                m.or(&[program.write_word, word])
            }
            Some(program) => {
                let is_host = m.or(&[self.is_here, host.clear]);
                match late {
                    Some(late) => late.drive(m, &program, self.old, (is_host, word)),
                    None => m.mux(is_host, word, program.write_word),
                }
            }
            None => word,
        }
    }

    /// Zeros where the slot is none of the host's.
    fn where_here(&self, m: &mut Module, word: Node) -> Node {
        let bits = m.width(word);
        let last = self.is_here_for.len() - 1;
        let parts = self.is_here_for.iter().enumerate().rev();
        // The most significant part stands first, and has what is above a value.
        let parts = parts.map(|(number, is_here)| {
            let lo = number as u32 * MOST_LOADS;
            let width = if number == last {
                bits - lo
            } else {
                MOST_LOADS
            };
            let part = m.slice(word, lo, width);
            m.gate(*is_here, part)
        });
        let parts: Vec<Node> = parts.collect();
        m.concat(&parts)
    }

    /// What it writes: the value, or nothing where an entry goes.
    fn word(&self, m: &mut Module, config: &Array, host: &ArrayHostIn) -> Node {
        if !config.presence.is_stored() {
            return host.host_value;
        }
        let key = host.key.as_ref().expect("presence means a key");
        let updates = updates(m, key);
        let first = m.slice(host.host_value, 0, 32);
        let some = m.reduce_or(first);
        let sets = m.and(&[updates, some]);
        let present = m.delay_reset("host_sets", sets);
        let value = m.gate(present, host.host_value);
        m.concat(&[present, value])
    }

    /// Its answer, and the value that was there, in registers.
    pub(super) fn result(&self, m: &mut Module, config: &Array, answer: Node) -> (Node, Node) {
        let held_answer = m.hold("host_answer_reg", self.is_here, answer);
        let mut parts = Vec::new();
        for (is_here, lo) in self
            .is_here_for
            .iter()
            .zip((0..).step_by(MOST_LOADS as usize))
        {
            let bits = MOST_LOADS.min(config.value_bits - lo);
            let part = m.slice(self.old, lo, bits);
            // The most significant part stands first.
            parts.insert(0, m.hold("host_result_reg", *is_here, part));
        }
        (held_answer, m.concat(&parts))
    }
}

/// What goes into the memories: after reset the sweep does, in which the word is 0. In a register of its own where there is one in front of them.
pub(super) fn store(m: &mut Module, config: &Array, commit: &Commit, host: &ArrayHostIn) -> Commit {
    let write = m.or(&[commit.write, host.clear]);
    let index = m.mux(host.clear, host.clear_index, commit.index);
    let stored = Commit::at(write, index, commit.word);
    match config.registers_writes() {
        true => stored.later(m, "stored"),
        false => stored,
    }
}
