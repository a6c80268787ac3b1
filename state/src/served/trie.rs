//! Tries by requests: the table of prefixes, and the memory of the values.
//!
//! Requests look up, at one a clock. A prefix is put in or removed by the table's one way to do it, which must be prepared: so this is
//! done alone, but requests go on while the table gets ready for what the host asks.

use super::{later, Entering, Leaving, Served};
use crate::table::Table;
use crate::values::Values;
use hardpath_blocks::answer::{answer_constant, Answer, ANSWER_BITS};
use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_blocks::host::MapQuestion;
use hardpath_blocks::lpm::Lpm;
use hardpath_rtl::{Design, Module};

/// Clocks from a request to its entry.
pub(super) fn clocks(config: &Served, bits_a_clock: u32) -> u32 {
    1 + Lpm::clocks(config.key_bits / 8, config.registers, bits_a_clock)
}

fn prefixes(config: &Served, bits_a_clock: u32) -> Lpm {
    Lpm {
        name: format!("{}_prefixes", config.name),
        map: config.map.clone(),
        key_bytes: config.key_bits / 8,
        max_entries: config.max_entries,
        registers: config.registers,
        bits_a_clock,
    }
}

/// Only what is done alone writes, so nothing is forwarded.
fn memory(config: &Served) -> Array {
    Array {
        name: format!("{}_values", config.name),
        map: config.map.clone(),
        depth: config.slots(),
        value_bits: config.value_bits,
        presence: Presence::Always,
        reads: vec![config.read_clocks()],
        writers: 0,
        first_is_the_hosts: false,
        own_write_index: false,
        forward: false,
        registers: config.registers_values,
        host_commit_after: config.read_clocks(),
        host: HostAddress::Follows,
    }
}

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    bits_a_clock: u32,
    entering: &Entering,
) -> Leaving {
    let prefixes = prefixes(config, bits_a_clock);
    let table = keys(design, m, &prefixes, entering);
    let values = values(design, m, config, entering.question, &table);
    let (hit, _) = table.answer(0);
    let done = m.zero(ANSWER_BITS);
    let missing = answer_constant(m, Answer::Missing);
    let answer = m.mux(hit, done, missing);
    let (host_answer, host_key) = table.host_answer(m);
    Leaving {
        here: later(m, "here", entering.taken, config.clocks()),
        answer: later(m, "answer", answer, config.read_clocks()),
        value: values.placed.out.read_word[0],
        host_answer,
        host_value: values.placed.out.host_result,
        host_key,
        prepared: Some(table.prepared()),
    }
}

/// The key, a register, and the table.
fn keys(design: &mut Design, m: &mut Module, prefixes: &Lpm, entering: &Entering) -> Table {
    m.section("Keys");
    let question = entering.question;
    let key = entering.request.request_key;
    let key = m.mux(entering.inject, question.host_key, key);
    let key = m.delay("key", key);
    let host_r = m.delay_reset("host", entering.inject);
    let place = (design, &mut *m);
    let name = "prefixes".to_owned();
    let table = Table::trie(place, name, prefixes, question, entering.begins);
    if let Table::Trie { slot, .. } = &table {
        m.drive(slot.key, key);
        m.drive(slot.host_r, host_r);
    }
    table
}

/// The memory of the values, read at the entry that was found.
fn values(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    question: &MapQuestion,
    table: &Table,
) -> Values {
    m.section("Values");
    let place = (design, &mut *m);
    let values = Values::new(place, "values".to_owned(), &memory(config), question);
    let (_, entry) = table.answer(0);
    let (writes, _) = table.write(0);
    m.drive(values.slot.host_a, table.host_here());
    m.drive(values.slot.read_index[0], entry);
    let writes = later(m, "writes", writes, config.read_clocks());
    let host_write_ok = values.slot.host_write_ok.expect("behind a table");
    m.drive(host_write_ok, writes);
    values
}
