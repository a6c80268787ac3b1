//! Tables of prefixes, and of entries with masks and priorities, by requests: the table, and the memory of the values.
//!
//! Requests look up and access entries, at one a clock. An entry is put in or removed by the table's one way to do it, which must be prepared: so this is
//! done alone, but requests go on while the table gets ready for what the host asks.

use super::access::{self, Found};
use super::{later, Entering, Entries, Kind, Leaving, Served};
use crate::table::Table;
use crate::values::Values;
use hardpath_blocks::answer::{answer_constant, Answer, ANSWER_BITS};
use hardpath_blocks::array::Array;
use hardpath_blocks::lpm::{Lpm, Search};
use hardpath_blocks::ternary::Ternary;
use hardpath_rtl::{Design, Module};

/// Clocks from a request to its entry.
pub(super) fn clocks(config: &Served) -> u32 {
    1 + match config.kind {
        Kind::Ternary => entries(config).clocks(),
        kind => Lpm::clocks(
            config.key_bits / 8,
            config.max_entries,
            config.registers,
            search(kind),
        ),
    }
}

/// The keys of requests may be of any length.
fn search(kind: Kind) -> Search {
    Search::Rows {
        bits_a_clock: kind.bits_a_clock(),
    }
}

fn entries(config: &Served) -> Ternary {
    Ternary {
        name: format!("{}_entries", config.name),
        map: config.map.clone(),
        fields: config.fields.clone(),
        entries: config.max_entries,
        masks: config.masks,
        registers: config.registers,
    }
}

/// Where only what is done alone writes, nothing is forwarded.
fn memory(config: &Served) -> Array {
    config.values_memory(config.entries == Entries::Written)
}

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
) -> Leaving {
    let table = keys(design, m, config, entering);
    let (values, found) = values(design, m, config, entering, &table);
    let (hit, _) = table.answer(0);
    let done = m.zero(ANSWER_BITS);
    let missing = answer_constant(m, Answer::Missing);
    let answer = m.mux(hit, done, missing);
    let (host_answer, host_key) = table.host_answer(m);
    Leaving {
        here: later(m, "here", entering.taken, config.value_clocks()),
        answer: later(m, "answer", answer, config.read_clocks()),
        value: Some(values.placed.out.read_word[0]),
        found,
        host_answer,
        host_value: Some(values.placed.out.host_result),
        long: None,
        host_key,
        prepared: Some(table.prepared()),
        journal: None,
    }
}

/// The key, a register, and the table.
fn keys(design: &mut Design, m: &mut Module, config: &Served, entering: &Entering) -> Table {
    m.section("Keys");
    let question = entering.question;
    let key = entering.request.request_key;
    let key = m.mux(entering.inject, question.host_key, key);
    let key = m.delay("key", key);
    let host_r = m.delay_reset("host", entering.inject);
    let place = (design, &mut *m);
    let table = match config.kind {
        Kind::Ternary => {
            let entries = entries(config);
            let key_bytes = entries.key_bits().div_ceil(8);
            let entries = (&entries, key_bytes);
            Table::ternary(place, "entries".into(), entries, question, entering.begins)
        }
        kind => {
            let prefixes = Lpm {
                name: format!("{}_prefixes", config.name),
                map: config.map.clone(),
                key_bytes: config.key_bits / 8,
                max_entries: config.max_entries,
                registers: config.registers,
                search: search(kind),
                bounded: config.has_bounds(),
            };
            Table::trie(
                place,
                "prefixes".into(),
                &prefixes,
                question,
                entering.begins,
            )
        }
    };
    let (into_key, into_host) = match &table {
        Table::Trie { slot, .. } => (slot.key, slot.host_r),
        Table::Ternary { slot, .. } => (slot.key, slot.host_r),
        Table::Hash { .. } | Table::Cuckoo { .. } => unreachable!("it is prepared"),
    };
    // Of an entry's key only the fields are looked up.
    let key = m.resize(key, m.width(into_key));
    m.drive(into_key, key);
    m.drive(into_host, host_r);
    table
}

/// The memory of the values, read at the entry that was found.
fn values(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
    table: &Table,
) -> (Values, Option<Found>) {
    m.section("Values");
    let place = (design, &mut *m);
    let values = Values::new(
        place,
        "values".to_owned(),
        &memory(config),
        entering.question,
    );
    let (_, mut entry) = table.answer(0);
    if let Some(access) = entering.access {
        entry = access.address(m, entry);
    }
    let (writes, _) = table.write(0);
    m.drive(values.slot.host_a, table.host_here());
    m.drive(values.slot.read_index[0], entry);
    let to_write = config.read_clocks() + config.write_clocks();
    let writes = later(m, "writes", writes, to_write);
    let host_write_ok = values.slot.host_write_ok.expect("behind a table");
    m.drive(host_write_ok, writes);
    let value = values.placed.out.read_word[0];
    let found = entering.access.map(|access| access.found(m, entry, value));
    let put = values
        .slot
        .writes
        .first()
        .and_then(|write| write.put.as_ref());
    if let Some(put) = put {
        let accessed = entering.access.zip(found.as_ref());
        access::drive_write(m, put, value, None, accessed);
    }
    (values, found)
}
