//! Whether a host operation can be done, and on which entry.

use super::prepare::Asked;
use super::scan::Scan;
use super::{LpmHostIn, Table};
use crate::answer::{last_answer, Answer, ANSWER_BITS};
use hardpath_rtl::{Node, NodeOp};

/// What is to be done; from registers, but for `absent`.
pub(super) struct Decision {
    /// The clock in which all is known; the registers follow.
    pub(super) decides: Node,
    /// The host's key is not there.
    pub(super) absent: Node,
    pub(super) answer: Node,
    /// It is [`Answer::Done`].
    pub(super) fine: Node,
    pub(super) entry: Node,
    /// One bit for the entry, a clock later.
    pub(super) one_hot: Node,
}

impl Table<'_> {
    pub(super) fn decide(&mut self, host: &LpmHostIn, asked: &Asked, scan: &Scan) -> Decision {
        let m = &mut self.m;
        m.section("Preparation: the decision");
        let mut decides = scan.ends;
        for name in ["ended_1", "ended_2", "ended_3", "decides"] {
            decides = m.delay_reset(name, decides);
        }
        let absent = m.not(scan.exists);
        let answer = self.operation_answer(asked, scan, absent);
        let m = &mut self.m;
        let (answer_reg, answer_held) = m.reg("prepared_answer", ANSWER_BITS);
        let none = m.zero(ANSWER_BITS);
        let answer_next = m.mux(asked.begins, none, answer);
        let settles = m.or(&[asked.begins, decides]);
        m.set_next_when(answer_reg, settles, answer_next);
        let (entry_reg, entry) = m.reg("prepared_entry", self.entry_bits);
        let of_key = m.mux(scan.exists, scan.found, scan.vacant);
        let low = m.resize(host.host_slot, self.entry_bits);
        let meant = m.mux(asked.is_dump, low, of_key);
        m.set_next_when(entry_reg, decides, meant);
        let number_one = m.constant(1, self.entries);
        let one_hot = m.shift(NodeOp::Shl, number_one, entry);
        let one_hot = m.delay("prepared_one_hot", one_hot);
        Decision {
            decides,
            absent,
            answer: answer_held,
            fine: m.eq_const(answer_held, 0),
            entry,
            one_hot,
        }
    }

    /// Of all operations but a lookup.
    fn operation_answer(&mut self, asked: &Asked, scan: &Scan, absent: Node) -> Node {
        let m = &mut self.m;
        let (is_update, is_delete, is_dump) = (asked.is_update, asked.is_delete, asked.is_dump);
        let no_room = m.not(scan.has_room);
        let no_slot = m.not(asked.slot_exists);
        let nothing = m.not(scan.present);
        let conditions = [
            (vec![is_update, absent, no_room], Answer::Full),
            (
                vec![is_update, scan.exists, asked.only_create],
                Answer::Exists,
            ),
            (vec![is_update, absent, asked.only_replace], Answer::Missing),
            (vec![is_delete, absent], Answer::Missing),
            (vec![is_dump, nothing], Answer::Missing),
            (vec![is_update, asked.may_nothing], Answer::Refused),
            (vec![is_update, asked.too_long], Answer::BadIndex),
            (vec![is_delete, asked.too_long], Answer::BadIndex),
            (vec![is_dump, no_slot], Answer::BadIndex),
        ];
        let conditions = conditions.map(|(all, code)| (m.and(&all), code));
        last_answer(m, &conditions)
    }
}
