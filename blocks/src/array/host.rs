//! Whether the host's operation is done, where a map has no table that says so.

use super::{Array, ArrayKeyIn};
use crate::answer::{last_answer, Answer};
use crate::interface::command;
use crate::may::UpdateMay;
use hardpath_rtl::{Module, Node};

/// What the host asks. Its registers stand still long before its operation arrives, so what follows from them alone goes through
/// registers of its own ([`Asked::of`]), or the answer does ([`is_known_ahead`]).
struct Asked {
    lookup: Node,
    update: Node,
    delete: Node,
    dump: Node,
    out_of_range: Node,
    may_nothing: Node,
    only_create: Node,
    only_replace: Node,
}

/// The host's command is an update.
pub(super) fn updates(m: &mut Module, key: &ArrayKeyIn) -> Node {
    m.eq_const(key.host_command, u64::from(command::UPDATE))
}

/// The answer follows from what the host asks, whatever is stored, and the clock in which that arrives has no time for it: words in parts
/// are chosen late in it.
fn is_known_ahead(config: &Array) -> bool {
    !config.presence.is_stored() && !config.parts.is_empty()
}

/// Whether the host's command writes, and its answer. `old`: the word that is there.
pub(super) fn check(m: &mut Module, config: &Array, key: &ArrayKeyIn, old: Node) -> (Node, Node) {
    let asked = Asked::of(m, config, key);
    let (writes, answer) = answered(m, config, &asked, old);
    match is_known_ahead(config) {
        true => (
            m.delay("host_may_write", writes),
            m.delay("host_will_hear", answer),
        ),
        false => (writes, answer),
    }
}

fn answered(m: &mut Module, config: &Array, asked: &Asked, old: Node) -> (Node, Node) {
    let is_stored = config.presence.is_stored();
    let (absent, present) = match is_stored {
        true => {
            let present = m.bit(old, config.value_bits);
            (m.not(present), present)
        }
        false => (m.zero(1), m.one()),
    };
    let no_entry = m.or(&[absent, asked.out_of_range]);
    let reads_nothing = m.and(&[asked.lookup, no_entry]);
    let dump_nothing = m.and(&[asked.dump, absent]);
    let replaces_nothing = m.and(&[asked.update, asked.only_replace, absent]);
    let missing = m.or(&[reads_nothing, dump_nothing, replaces_nothing]);
    let exists = m.and(&[asked.update, asked.only_create, present]);
    let update_refused = m.and(&[asked.update, asked.may_nothing]);
    let refused = match is_stored {
        true => update_refused,
        false => m.or(&[update_refused, asked.delete]),
    };
    let means_index = m.not(asked.lookup);
    let bad_index = m.and(&[means_index, asked.out_of_range]);
    let conditions = [
        (missing, Answer::Missing),
        (exists, Answer::Exists),
        (refused, Answer::Refused),
        (bad_index, Answer::BadIndex),
    ];
    let answer = last_answer(m, &conditions);
    let not_done = m.reduce_or(answer);
    let done = m.not(not_done);
    let changes = match is_stored {
        true => m.or(&[asked.update, asked.delete]),
        false => asked.update,
    };
    (m.and(&[changes, done]), answer)
}

impl Asked {
    fn of(m: &mut Module, config: &Array, key: &ArrayKeyIn) -> Asked {
        let is_ahead = is_known_ahead(config);
        let held = |m: &mut Module, name: &str, node: Node| match is_ahead {
            true => node,
            false => m.delay(name, node),
        };
        let depth = m.constant(u64::from(config.depth), 32);
        let below = m.ult(key.host_index, depth);
        let in_range = held(m, "host_in_range", below);
        let out_of_range = m.not(in_range);
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(key.host_command, u64::from(code));
            held(m, name, same)
        };
        let lookup = is(m, "host_looks_up", command::LOOKUP);
        let update = is(m, "host_updates", command::UPDATE);
        let delete = is(m, "host_deletes", command::DELETE);
        let dump = is(m, "host_dumps", command::DUMP);
        let may = UpdateMay::of(m, key.host_may);
        let may_nothing = held(m, "host_may_nothing", may.nothing);
        Asked {
            lookup,
            update,
            delete,
            dump,
            out_of_range,
            may_nothing,
            only_create: held(m, "host_only_creates", may.only_create),
            only_replace: held(m, "host_only_replaces", may.only_replace),
        }
    }
}
