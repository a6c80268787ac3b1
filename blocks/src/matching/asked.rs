//! What the host's registers ask for.

use crate::interface::command;
use crate::may::UpdateMay;
use hardpath_rtl::{Module, Node};

/// The operation, a clock after the registers say so.
pub(crate) struct Command {
    pub(crate) is_lookup: Node,
    pub(crate) is_update: Node,
    pub(crate) is_delete: Node,
    pub(crate) is_dump: Node,
    /// A clock after the start.
    pub(crate) started: Node,
    /// Two clocks after the start: what is asked for stands still.
    pub(crate) begins: Node,
}

impl Command {
    pub(crate) fn of(m: &mut Module, host_command: Node, start: Node) -> Command {
        m.section("Preparation: what the host's registers say");
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(host_command, u64::from(code));
            m.delay(name, same)
        };
        let is_lookup = is(m, "host_looks_up", command::LOOKUP);
        let is_update = is(m, "host_updates", command::UPDATE);
        let is_delete = is(m, "host_deletes", command::DELETE);
        let is_dump = is(m, "host_dumps", command::DUMP);
        let started = m.delay_reset("started", start);
        let begins = m.delay_reset("begins", started);
        Command {
            is_lookup,
            is_update,
            is_delete,
            is_dump,
            started,
            begins,
        }
    }

    /// The same of all but a lookup, which needs no look at the entries where their rows find it.
    pub(crate) fn begins_change(&self, m: &mut Module) -> Node {
        let looks = m.not(self.is_lookup);
        m.and(&[self.begins, looks])
    }
}

/// What an update may do, and whether a dump's slot is one; a clock after the registers.
pub(crate) struct Wishes {
    pub(crate) only_create: Node,
    pub(crate) only_replace: Node,
    pub(crate) may_nothing: Node,
    pub(crate) slot_exists: Node,
}

impl Wishes {
    pub(crate) fn of(m: &mut Module, host_may: Node, host_slot: Node, entries: u32) -> Wishes {
        let may = UpdateMay::of(m, host_may);
        let only_create = m.delay("host_only_creates", may.only_create);
        let only_replace = m.delay("host_only_replaces", may.only_replace);
        let may_nothing = m.delay("host_may_nothing", may.nothing);
        let count = m.constant(u64::from(entries), 32);
        let slot_exists = m.ult(host_slot, count);
        let slot_exists = m.delay("host_slot_exists", slot_exists);
        Wishes {
            only_create,
            only_replace,
            may_nothing,
            slot_exists,
        }
    }
}
