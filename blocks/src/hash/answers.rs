//! What a table says at its commit stage, to packets and to the host.

use super::commit::{Decision, Ready, Request};
use super::dump::Dump;
use super::foreign::Outcome;
use super::lookup::Lane;
use super::neighbours::is_hosts_alone;
use super::{HashKeyIn, HashKeyOut, HashMovesOut, HashTableOut, HashWriteOut};
use crate::errno::{last_error, E2BIG, EEXIST, EINVAL, ENOENT, ERRNO_BITS};
use hardpath_rtl::{Module, Node};

/// The commit stage, as the answers see it.
pub(super) struct Committed<'a> {
    pub(super) waiting: &'a [Ready],
    pub(super) active: &'a Ready,
    pub(super) request: &'a Request,
    pub(super) decision: &'a Decision,
    /// What becomes of a foreign key.
    pub(super) foreign: Option<&'a Outcome>,
    pub(super) dump: &'a Dump,
}

impl Committed<'_> {
    pub(super) fn answers(
        &self,
        m: &mut Module,
        keys: &[HashKeyIn],
        lanes: &[Lane],
    ) -> HashTableOut {
        let writes = self.writes(m, keys);
        let said = lanes.iter().zip(writes);
        let said = said.map(|(lane, write)| HashKeyOut {
            hit: lane.hit,
            entry: lane.entry,
            write,
            displaced: lane.slots.displaced,
        });
        let (decision, host) = (self.decision, self.active.host);
        let keys_out = said.collect();
        let moves = self.active.candidates.as_ref().map(|_| HashMovesOut {
            key_c: self.active.key,
            puts: decision.insert,
            removes_key: decision.remove,
            forgets: decision.displaces,
        });
        let mut host_found = m.and(&[host, self.active.found.hit]);
        let errno = self.errno(m);
        let mut of_host = errno;
        if let Some(foreign) = self.foreign {
            let is_own = m.not(foreign.is_foreign);
            host_found = m.and(&[host_found, is_own]);
            of_host = m.mux(foreign.is_foreign, foreign.errno, errno);
        }
        let (register, host_errno) = m.reg("host_errno_reg", ERRNO_BITS);
        m.set_next_when(register, host, of_host);
        let structural = keys
            .iter()
            .any(|port| port.update.is_some() || port.remove.is_some());
        HashTableOut {
            keys: keys_out,
            moves,
            host_c: host,
            host_found,
            errno: structural.then_some(errno),
            host_errno,
            host_key_out: self.dump.key.expect("the first port has it"),
        }
    }

    /// Whose value is to be written, and where. Of what happens in this clock only the port that commits may speak.
    fn writes(&self, m: &mut Module, keys: &[HashKeyIn]) -> Vec<Option<HashWriteOut>> {
        let decision = self.decision;
        let entry_c = m.concat(&[decision.place, decision.row]);
        let updates = |key: &HashKeyIn| key.update.as_ref().map(|port| port.update);
        let others: Vec<Node> = keys[1..].iter().filter_map(updates).collect();
        let write_value = match others.as_slice() {
            [] => decision.write_value,
            others => {
                let other = m.or(others);
                let none = m.not(other);
                m.and(&[decision.write_value, none])
            }
        };
        let own = &self.waiting[0];
        let first = HashWriteOut {
            write_value,
            entry_c: match is_hosts_alone(keys, self.active.candidates.is_some()) {
                // But for the host's, the commit is another port's.
                true => {
                    let found = own.found.entry(m, own.rows);
                    m.mux(own.host, entry_c, found)
                }
                false => entry_c,
            },
        };
        let mut writes = vec![Some(first)];
        for (key, waiting) in keys.iter().zip(self.waiting).skip(1) {
            writes.push(updates(key).map(|update| {
                let write_value = m.and(&[decision.write_value, update]);
                let found = waiting.found.entry(m, waiting.rows);
                HashWriteOut {
                    write_value,
                    entry_c: m.mux(update, entry_c, found),
                }
            }));
        }
        writes
    }

    /// 0 or a positive errno, as the kernel's `htab_map_update_elem` and its neighbours answer.
    fn errno(&self, m: &mut Module) -> Node {
        let Request {
            update,
            delete,
            bad_flags,
            ..
        } = *self.request;
        let decision = self.decision;
        let lookup_missed = {
            let writes = m.or(&[update, delete]);
            let reads = m.not(writes);
            let missed = m.or(&[delete, reads]);
            m.and(&[missed, decision.absent])
        };
        let enoent_update = m.and(&[update, decision.missing_wrongly]);
        let eexist = m.and(&[update, decision.exists_wrongly]);
        let einval = m.and(&[update, bad_flags]);
        let allowed = decision.allowed;
        let e2big = m.and(&[update, allowed, decision.absent, decision.no_room]);
        let dump_behind = m.not(self.dump.in_range);
        let dump_einval = m.and(&[self.active.host, self.dump.is_meant, dump_behind]);
        let einval = m.or(&[einval, dump_einval]);
        let enoent = m.or(&[lookup_missed, enoent_update]);
        let conditions = [
            (enoent, ENOENT),
            (e2big, E2BIG),
            (eexist, EEXIST),
            (einval, EINVAL),
        ];
        let errno = last_error(m, &conditions);
        m.name(errno, "errno_c")
    }
}
