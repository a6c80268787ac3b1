//! Whether a host operation can be done, and on which entry.

use super::asked::{Command, Wishes};
use super::entries::Entries;
use super::scan::Found;
use crate::answer::{last_answer, Answer, ANSWER_BITS};
use hardpath_rtl::{Module, Node, NodeOp};

/// What is to be done; from registers.
pub(crate) struct Decision {
    pub(crate) answer: Node,
    /// It is [`Answer::Done`].
    pub(crate) fine: Node,
    pub(crate) entry: Node,
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
        Decision {
            answer: answer_held,
            fine: m.eq_const(answer_held, 0),
            entry,
        }
    }

    /// A bit for each entry: the one that is meant, a clock later.
    pub(crate) fn one_hot(&self, m: &mut Module, entries: Entries) -> Node {
        let number_one = m.constant(1, entries.0);
        let one_hot = m.shift(NodeOp::Shl, number_one, self.entry);
        m.delay("prepared_one_hot", one_hot)
    }
}

/// The answer to all operations but a lookup. `present`: the entry of a dump's slot exists; `no_entry`: key and mask are none
/// of an entry.
pub(crate) fn operation_answer(
    m: &mut Module,
    (command, wishes): (&Command, &Wishes),
    found: &Found,
    (absent, present): (Node, Node),
    no_entry: Node,
) -> Node {
    let (is_update, is_delete, is_dump) = (command.is_update, command.is_delete, command.is_dump);
    let no_room = m.not(found.has_room);
    let no_slot = m.not(wishes.slot_exists);
    let nothing = m.not(present);
    let conditions = [
        (vec![is_update, absent, no_room], Answer::Full),
        (
            vec![is_update, found.exists, wishes.only_create],
            Answer::Exists,
        ),
        (
            vec![is_update, absent, wishes.only_replace],
            Answer::Missing,
        ),
        (vec![is_delete, absent], Answer::Missing),
        (vec![is_dump, nothing], Answer::Missing),
        (vec![is_update, wishes.may_nothing], Answer::Refused),
        (vec![is_update, no_entry], Answer::BadIndex),
        (vec![is_delete, no_entry], Answer::BadIndex),
        (vec![is_dump, no_slot], Answer::BadIndex),
    ];
    let conditions = conditions.map(|(all, answer)| (m.and(&all), answer));
    last_answer(m, &conditions)
}
