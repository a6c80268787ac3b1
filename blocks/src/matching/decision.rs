//! Whether a host operation can be done, and on which entry.

use super::asked::Command;
use super::entries::Entries;
use super::scan::Found;
use crate::answer::ANSWER_BITS;
use hardpath_rtl::{Module, Node, NodeOp};

/// What is to be done; from registers.
pub(crate) struct Decision {
    pub(crate) answer: Node,
    /// It is [`Answer::Done`](crate::answer::Answer::Done).
    pub(crate) fine: Node,
    pub(crate) entry: Node,
    /// One bit for the entry, a clock later.
    pub(crate) one_hot: Node,
}

/// The clock in which all is known; the registers follow. `ends`: the last entry is being read.
pub(crate) fn decides(m: &mut Module, ends: Node) -> Node {
    m.section("Preparation: the decision");
    let mut decides = ends;
    for name in ["ended_1", "ended_2", "ended_3", "decides"] {
        decides = m.delay_reset(name, decides);
    }
    decides
}

impl Decision {
    /// `answer`: when all is known; of a lookup it is done.
    pub(crate) fn of(
        m: &mut Module,
        entries: Entries,
        (command, host_slot): (&Command, Node),
        (decides, found): (Node, &Found),
        answer: Node,
    ) -> Decision {
        let (answer_reg, answer_held) = m.reg("prepared_answer", ANSWER_BITS);
        let done = m.zero(ANSWER_BITS);
        let answer_next = m.mux(command.begins, done, answer);
        let settles = m.or(&[command.begins, decides]);
        m.set_next_when(answer_reg, settles, answer_next);
        let (entry_reg, entry) = m.reg("prepared_entry", entries.bits());
        let of_key = m.mux(found.exists, found.found, found.vacant);
        let low = m.resize(host_slot, entries.bits());
        let meant = m.mux(command.is_dump, low, of_key);
        m.set_next_when(entry_reg, decides, meant);
        let number_one = m.constant(1, entries.0);
        let one_hot = m.shift(NodeOp::Shl, number_one, entry);
        let one_hot = m.delay("prepared_one_hot", one_hot);
        Decision {
            answer: answer_held,
            fine: m.eq_const(answer_held, 0),
            entry,
            one_hot,
        }
    }
}
