//! What the host asks for, and its entry as it is stored.

use super::fields::{ones, Field, Match};
use super::{Table, TernaryHostIn};
use crate::matching::asked::{Command, Wishes};
use hardpath_rtl::{Module, Node};

/// What the host's registers say, a clock after they do.
pub(super) struct Asked {
    pub(super) command: Command,
    pub(super) wishes: Wishes,
    pub(super) entry: Entry,
    /// Key and mask are none of an entry.
    pub(super) no_entry: Node,
}

/// An entry: bits of the key that do not count are 0, and bits of the mask are 1 in exact fields.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: Node,
    pub(super) mask: Node,
    pub(super) priority: Node,
}

impl Table<'_> {
    pub(super) fn asked(&mut self, host: &TernaryHostIn) -> Asked {
        let m = &mut self.m;
        let command = Command::of(m, host.host_command, host.start);
        let wishes = Wishes::of(m, host.host_may, host.host_slot, self.entries.0);
        let (mut keys, mut masks, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for field in self.fields.all.iter().rev() {
            let key = field.of(m, host.host_key);
            let mask = match field.kind {
                Match::Exact => ones(m, field.bits),
                _ => field.of(m, host.host_mask),
            };
            keys.push(match field.kind {
                Match::Exact | Match::Range => key,
                Match::Prefix | Match::Ternary => m.and(&[key, mask]),
            });
            masks.push(mask);
            wrong.extend(is_wrong(m, field, (key, mask)));
        }
        let key = m.concat(&keys);
        let mask = m.concat(&masks);
        let no_entry = if wrong.is_empty() {
            m.zero(1)
        } else {
            m.or(&wrong)
        };
        Asked {
            command,
            wishes,
            entry: Entry {
                key: m.delay("entry_key", key),
                mask: m.delay("entry_mask", mask),
                priority: host.host_priority,
            },
            no_entry: m.delay("host_no_entry", no_entry),
        }
    }
}

/// A range that ends before it begins, and a prefix with a gap; all else can be.
fn is_wrong(m: &mut Module, field: &Field, (key, mask): (Node, Node)) -> Option<Node> {
    match field.kind {
        Match::Range => Some(m.ult(mask, key)),
        Match::Prefix if field.bits > 1 => {
            let below = m.slice(mask, 0, field.bits - 1);
            let above = m.slice(mask, 1, field.bits - 1);
            let missing = m.not(above);
            let gaps = m.and(&[below, missing]);
            Some(m.reduce_or(gaps))
        }
        _ => None,
    }
}
