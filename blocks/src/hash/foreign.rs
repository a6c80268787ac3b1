//! Keys of the host's that the table does not store.
//!
//! The bits of keys that are constant in the whole program are not here, so a key that has others there is *foreign*: no packet
//! can ask for it. The host keeps it; here it only has its place among `max_entries`. An update takes a place, a delete gives one
//! back, and a lookup finds nothing. Whether the key is there is the host's to know, so what it may do means nothing.

use super::HashHostIn;
use crate::answer::{answer_constant, Answer, ANSWER_BITS};
use crate::interface::command;
use hardpath_rtl::{Module, Node};

/// What the host's registers say; they stand still long before its operation arrives.
pub(super) struct Foreign {
    /// The key is stored here, from the host's port.
    pub(super) is_own: Node,
    /// From registers: the key is foreign, and the command is an update or a delete.
    is_foreign: Node,
    updates: Node,
    deletes: Node,
}

/// What becomes of a foreign key in the commit stage.
pub(super) struct Outcome {
    /// The host's key is foreign.
    pub(super) is_foreign: Node,
    /// A place more is taken, or one less.
    pub(super) takes: Node,
    pub(super) gives_back: Node,
    pub(super) answer: Node,
}

impl Foreign {
    /// `None`: the table stores all keys.
    pub(super) fn new(m: &mut Module, host: &HashHostIn) -> Option<Foreign> {
        let foreign = host.host_foreign?;
        let mut asks = |name: &str, code: u32| {
            let asked = m.eq_const(host.host_command, u64::from(code));
            let asked = m.and(&[asked, foreign]);
            m.delay(name, asked)
        };
        let updates = asks("host_takes_place", command::UPDATE);
        let deletes = asks("host_gives_place_back", command::DELETE);
        Some(Foreign {
            is_own: m.not(foreign),
            is_foreign: m.delay("host_is_foreign", foreign),
            updates,
            deletes,
        })
    }

    /// `host`: the commit is the host's. `full`: there is no place.
    pub(super) fn outcome(self, m: &mut Module, host: Node, full: Node) -> Outcome {
        let room = m.not(full);
        let takes = m.and(&[host, self.updates, room]);
        let gives_back = m.and(&[host, self.deletes]);
        let done = m.zero(ANSWER_BITS);
        let missing = answer_constant(m, Answer::Missing);
        let no_place = answer_constant(m, Answer::Full);
        let is_full = m.mux(full, no_place, done);
        let changes = m.mux(self.updates, is_full, missing);
        Outcome {
            is_foreign: self.is_foreign,
            takes: m.name(takes, "takes_place"),
            gives_back: m.name(gives_back, "gives_place_back"),
            answer: m.mux(self.deletes, done, changes),
        }
    }
}
