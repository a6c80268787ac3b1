//! What a table answers to the host.

use super::asked::Asked;
use crate::answer::{last_answer, Answer};
use crate::matching::scan::Found;
use hardpath_rtl::{Module, Node};

/// Of all operations but a lookup. `present`: the entry of a dump's slot exists.
pub(super) fn of_operation(
    m: &mut Module,
    asked: &Asked,
    found: &Found,
    (absent, present): (Node, Node),
) -> Node {
    let (command, wishes) = (&asked.command, &asked.wishes);
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
        (vec![is_update, asked.no_entry], Answer::BadIndex),
        (vec![is_delete, asked.no_entry], Answer::BadIndex),
        (vec![is_dump, no_slot], Answer::BadIndex),
    ];
    let conditions = conditions.map(|(all, answer)| (m.and(&all), answer));
    last_answer(m, &conditions)
}
