//! Hash tables by requests: the hash functions, the table, the memory of the values.
//!
//! Keys are put in and removed in the clock of their lookup's answer, values are written in the clock in which the old one comes, and
//! both memories forward: so nobody waits for anybody.

use super::access::{self, Found, Update};
use super::{later, Entering, Kind, Leaving, Served};
use crate::table::{functions, Table};
use crate::values::Values;
use hardpath_blocks::array::Array;
use hardpath_blocks::hash::{Evicts, Hash, HashFunctionHostIn, HashPort};
use hardpath_blocks::interface::{command, JournalOut};
use hardpath_blocks::may::UpdateMay;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, Module, Node};

/// Clocks from a request to the commit of its key.
pub(super) fn clocks(config: &Served) -> u32 {
    1 + Hash::answer_clocks(config.registers)
}

fn table(config: &Served) -> Hash {
    Hash {
        name: format!("{}_keys", config.name),
        map: config.map.clone(),
        key_bits: config.key_bits,
        max_entries: config.max_entries,
        ports: vec![HashPort {
            commit_after: 0,
            updates: true,
            may: None,
            deletes: true,
            slot: 0,
        }],
        forward: true,
        registers: config.registers,
        evicts: match config.kind {
            Kind::LruHash => Evicts::Candidates,
            _ => Evicts::Nobody,
        },
        foreign: false,
        bounded: config.has_bounds(),
        holds: config.holds,
    }
}

fn memory(config: &Served) -> Array {
    Array {
        own_write_index: true,
        ..config.values_memory(true)
    }
}

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
) -> Leaving {
    let asked = Asked::new(m, config, entering);
    let table = keys(design, m, config, entering, &asked);
    let (values, found) = values(design, m, config, entering, (&asked, &table));
    let answer = table.hash_out().answer.expect("of a table that is changed");
    let (host_answer, host_key) = table.host_answer(m);
    Leaving {
        here: asked.here,
        answer: later(m, "answer", answer, config.read_clocks()),
        value: Some(values.placed.out.read_word[0]),
        found,
        host_answer,
        host_value: Some(values.placed.out.host_result),
        long: None,
        host_key,
        prepared: None,
        journal: config.journal.then(|| journal(m, config, entering, &table)),
    }
}

/// Which keys come and go, a clock behind the commit.
fn journal(m: &mut Module, config: &Served, entering: &Entering, table: &Table) -> JournalOut {
    m.section("Journal");
    let told = table.hash_out();
    let moves = told.moves.clone().expect("of a table that evicts");
    let (host, entry) = (told.host_c, table.write(0).1);
    let command = entering.question.host_command;
    let is_dump = m.eq_const(command, u64::from(command::DUMP));
    let changes = m.not(is_dump);
    let now = JournalOut {
        packet: entering.releases.expect("turns end"),
        host: m.and(&[host, changes]),
        put: moves.puts,
        removed: moves.removes_key,
        forgot: moves.forgets,
        slot: Hash::slot_of(m, config.max_entries, entry),
        key: moves.key_c,
    };
    now.map(&mut |signal, _, node| later(m, &format!("journal_{signal}"), node, 1))
}

/// A request on its way: in the clock of its key's commit, and of its answer.
struct Asked {
    uses: Node,
    update: Node,
    remove: Node,
    only_create: Node,
    only_replace: Node,
    may_nothing: Node,
    /// A request is here: in the clock of its answer, and in the one before that of its write.
    here: Node,
    here_before: Node,
    /// In the clock of the write: the value of its update.
    value: Node,
}

impl Asked {
    fn new(m: &mut Module, config: &Served, entering: &Entering) -> Asked {
        m.section("What is asked, on its way to the commit");
        let (request, taken) = (entering.request, entering.taken);
        let clocks = clocks(config);
        let is = |m: &mut Module, code: u32| {
            let same = m.eq_const(request.request_command, u64::from(code));
            m.and(&[taken, same])
        };
        let update = is(m, command::UPDATE);
        let remove = is(m, command::DELETE);
        let may = UpdateMay::of(m, request.request_may);
        let by_key = entering.taken_by_key(m);
        let uses = later(m, "uses", by_key, clocks);
        let here = match entering.access {
            Some(_) => later(m, "passes", taken, clocks),
            None => uses,
        };
        let to_write = config.write_clocks();
        let here_before = later(m, "here", here, config.read_clocks() + to_write - 1);
        Asked {
            uses,
            update: later(m, "update", update, clocks),
            remove: later(m, "remove", remove, clocks),
            only_create: later(m, "only_create", may.only_create, clocks),
            only_replace: later(m, "only_replace", may.only_replace, clocks),
            may_nothing: later(m, "may_nothing", may.nothing, clocks),
            here: match to_write {
                0 => m.delay_reset("here_then", here_before),
                _ => here_before,
            },
            here_before,
            value: later(
                m,
                "value",
                request.request_value.expect("values are whole"),
                config.value_clocks() + to_write,
            ),
        }
    }
}

/// The hash functions, a register, and the table.
fn keys(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
    asked: &Asked,
) -> Table {
    m.section("Keys");
    let hash = table(config);
    let question = entering.question;
    let is_dump = m.eq_const(question.host_command, u64::from(command::DUMP));
    let dump = m.delay("host_dumps", is_dump);
    let module = format!("{}_hash", config.name);
    let named = (module.as_str(), "hash".to_owned());
    let slot_bits = Hash::entry_bits(hash.max_entries);
    let slot = m.slice(question.host_slot, 0, slot_bits);
    let host = HashFunctionHostIn {
        host: entering.inject,
        host_key: question.host_key,
        host_dump: dump,
        host_slot: Hash::entry_of(m, hash.max_entries, slot),
    };
    let key = entering.request.request_key;
    let hashed = functions((design, m), named, hash.functions(), 0, key, Some(host));
    let key = m.delay("key", hashed.key_out);
    let rows = m.delay("rows", hashed.rows);
    let host_r = m.delay_reset("host", entering.inject);
    let table = Table::hash((design, m), "keys".to_owned(), &hash, question, None);
    if let Table::Hash { slot, .. } = &table {
        m.drive(slot.host_r, host_r);
        let own = &slot.keys[0];
        m.drive(own.key, key);
        m.drive(own.rows, rows);
        if let Some(wire) = own.uses {
            m.drive(wire, asked.uses);
        }
        let update = own.update.as_ref().expect("the port updates");
        m.drive(update.update, asked.update);
        let may = update.may.as_ref().expect("each request has its own");
        m.drive(may.only_create, asked.only_create);
        m.drive(may.only_replace, asked.only_replace);
        m.drive(may.may_nothing, asked.may_nothing);
        m.drive(own.remove.expect("the port deletes"), asked.remove);
        if let Some((wire, releases)) = slot.releases.zip(entering.releases) {
            m.drive(wire, releases);
        }
    }
    table
}

/// The memory of the values, read at the entry that was found and written at that of the update.
fn values(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
    (asked, table): (&Asked, &Table),
) -> (Values, Option<Found>) {
    m.section("Values");
    let place = (design, &mut *m);
    let values = Values::new(
        place,
        "values".to_owned(),
        &memory(config),
        entering.question,
    );
    let clocks = config.read_clocks() + config.write_clocks();
    let (_, mut entry) = table.answer(0);
    let (writes, mut placed) = table.write(0);
    if let Some(access) = entering.access {
        entry = access.address(m, entry);
        placed = access.address(m, placed);
    }
    let host_c = table.hash_out().host_c;
    m.drive(values.slot.host_a, host_c);
    m.drive(values.slot.read_index[0], entry);
    let before = later(m, "writes", writes, clocks - 1);
    let writes = m.delay_reset("writes_last", before);
    let placed = later(m, "placed", placed, clocks);
    let host_write_ok = values.slot.host_write_ok.expect("behind a table");
    m.drive(host_write_ok, writes);
    let write = &values.slot.writes[0];
    m.drive(write.write_index.expect("the entry of the update"), placed);
    let value = values.placed.out.read_word[0];
    let found = entering.access.map(|access| access.found(m, entry, value));
    let before = m.and(&[before, asked.here_before]);
    let update = Update::new(m, before, asked.value);
    let put = write.put.as_ref().expect("requests write");
    let accessed = entering.access.zip(found.as_ref());
    access::drive_write(m, put, value, Some(&update), accessed);
    (values, found)
}
