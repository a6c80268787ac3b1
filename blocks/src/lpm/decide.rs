//! What comes of a host operation.

use super::prepare::Asked;
use super::Table;
use crate::answer::{last_answer, Answer};
use crate::matching::scan::Found;
use hardpath_rtl::Node;

impl Table<'_> {
    /// The answer to all operations but a lookup. `present`: the
    /// entry of a dump's slot exists.
    pub(super) fn operation_answer(
        &mut self,
        asked: &Asked,
        found: &Found,
        (absent, present): (Node, Node),
    ) -> Node {
        let m = &mut self.m;
        let (command, wishes) = (&asked.command, &asked.wishes);
        let (is_update, is_delete, is_dump) =
            (command.is_update, command.is_delete, command.is_dump);
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
            (vec![is_update, asked.too_long], Answer::BadIndex),
            (vec![is_delete, asked.too_long], Answer::BadIndex),
            (vec![is_dump, no_slot], Answer::BadIndex),
        ];
        let conditions = conditions.map(|(all, code)| (m.and(&all), code));
        last_answer(m, &conditions)
    }
}
