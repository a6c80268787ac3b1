//! What a table answers, to packets and to the host.

use super::asked::Command;
use super::decision::Decision;
use super::entries::Entries;
use crate::answer::{answer_constant, Answer, ANSWER_BITS};
use hardpath_rtl::{Module, Node};

/// Stage A.
pub(crate) struct Answered {
    pub(crate) hit: Node,
    pub(crate) entry: Node,
    pub(crate) host_c: Node,
    pub(crate) write_value: Node,
    /// A clock after `host_c`.
    pub(crate) host_answer: Node,
    /// Likewise, the entry that it is of; of a dump that of the slot.
    pub(crate) host_slot: Node,
}

impl Answered {
    /// The entry's number, for a packet that of the one entry that is left, for the host that which it means. `clocks`: from
    /// stage R to A.
    pub(crate) fn of(
        m: &mut Module,
        entries: Entries,
        (host_1, clocks): (Node, u32),
        one_left: Node,
        (command, decision): (&Command, &Decision),
    ) -> Answered {
        m.section("The entry's number");
        let hit = m.reduce_or(one_left);
        let found = entries.number(m, one_left);
        let host = later_host(m, host_1, clocks);
        let reads = m.not(command.is_lookup);
        let means = m.and(&[host, reads]);
        let answered = (hit, found);
        Answered::from(m, (host, clocks), means, answered, (command, decision))
    }

    /// The same of what is found in the stage before A. Where `means` is set, what the host means is already decided. `host`: its slot is
    /// in that stage.
    pub(crate) fn from(
        m: &mut Module,
        (host, clocks): (Node, u32),
        means: Node,
        (hit, found): (Node, Node),
        (command, decision): (&Command, &Decision),
    ) -> Answered {
        let entry = m.mux(means, decision.entry, found);
        let hit = m.delay("hit", hit);
        let entry = m.delay("entry", entry);
        let host_c = m.delay_reset(format!("host_{clocks}"), host);
        let write_value = m.and(&[host_c, command.is_update, decision.fine]);
        let missed = m.not(hit);
        let missed = m.and(&[missed, command.is_lookup]);
        let missing = answer_constant(m, Answer::Missing);
        let answer = m.mux(missed, missing, decision.answer);
        let (answer_reg, host_answer) = m.reg("host_answer_reg", ANSWER_BITS);
        m.set_next_when(answer_reg, host_c, answer);
        let host_slot = m.hold("host_slot_reg", host_c, entry);
        Answered {
            hit,
            entry,
            host_c,
            write_value,
            host_answer,
            host_slot,
        }
    }
}

/// The host's slot in the stage before A.
pub(crate) fn later_host(m: &mut Module, host_1: Node, clocks: u32) -> Node {
    let mut host = host_1;
    for clock in 2..clocks {
        host = m.delay_reset(format!("host_{clock}"), host);
    }
    host
}
