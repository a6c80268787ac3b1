//! What a table says at its commit stage, to packets and to the host.

use super::commit::{Decision, Ready, Request};
use super::dump::{last_empty, Dump};
use super::foreign::Outcome;
use super::lookup::Lane;
use super::neighbours::is_hosts_alone;
use super::{HashKeyIn, HashKeyOut, HashMovesOut, HashTableOut, HashWriteOut};
use crate::answer::{last_answer, Answer, ANSWER_BITS};
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
        let answer = self.answer(m);
        let mut of_host = answer;
        if let Some(foreign) = self.foreign {
            let is_own = m.not(foreign.is_foreign);
            host_found = m.and(&[host_found, is_own]);
            of_host = m.mux(foreign.is_foreign, foreign.answer, answer);
        }
        let (register, host_answer) = m.reg("host_answer_reg", ANSWER_BITS);
        m.set_next_when(register, host, of_host);
        let empty = last_empty(m, self.dump.place, &lanes[0].state.taken);
        let finds_nothing = m.not(self.active.found.hit);
        let is_empty = m.and(&[self.dump.is_meant, finds_nothing]);
        let place = m.mux(is_empty, empty, decision.place);
        let entry = m.concat(&[place, decision.row]);
        let host_entry = m.hold("host_entry_reg", host, entry);
        let structural = keys
            .iter()
            .any(|port| port.update.is_some() || port.remove.is_some());
        HashTableOut {
            keys: keys_out,
            moves,
            host_c: host,
            host_found,
            answer: structural.then_some(answer),
            host_answer,
            host_key_out: self.dump.key.expect("the first port has it"),
            host_entry,
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

    /// The answer to whoever commits.
    fn answer(&self, m: &mut Module) -> Node {
        let Request {
            update,
            delete,
            may_nothing,
            ..
        } = *self.request;
        let decision = self.decision;
        let lookup_missed = {
            let writes = m.or(&[update, delete]);
            let reads = m.not(writes);
            let missed = m.or(&[delete, reads]);
            m.and(&[missed, decision.absent])
        };
        let update_misses = m.and(&[update, decision.missing_wrongly]);
        let exists = m.and(&[update, decision.exists_wrongly]);
        let refused = m.and(&[update, may_nothing]);
        let allowed = decision.allowed;
        let full = m.and(&[update, allowed, decision.absent, decision.no_room]);
        let dump_behind = m.not(self.dump.in_range);
        let bad_index = m.and(&[self.active.host, self.dump.is_meant, dump_behind]);
        let missing = m.or(&[lookup_missed, update_misses]);
        let conditions = [
            (missing, Answer::Missing),
            (full, Answer::Full),
            (exists, Answer::Exists),
            (refused, Answer::Refused),
            (bad_index, Answer::BadIndex),
        ];
        let answer = last_answer(m, &conditions);
        m.name(answer, "answer_c")
    }
}
