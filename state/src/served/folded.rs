//! Arrays with long values, which are folded into rows ([`super::rows`]): nobody needs a whole one at once.
//!
//! Requests access up to eight bytes. The host's operations have all of a value, a pair of rows in each clock, which they take from the
//! host port's memory or bring there; nothing else is in the map meanwhile.
//!
//! ```text
//! request ─► index or entry ─► its first pair ─► pair of each memory ─► both words ─► lanes, as of any value
//!    host ─► index ──────────┘   + 0, 1, 2 … ─┘                       └► host's memory, or from there
//! ```

use super::access::{self, Access};
use super::array::outside;
use super::rows::Fold;
use super::{later, Entering, Leaving, Served};
use crate::values::Values;
use hardpath_blocks::answer::{last_answer, Answer};
use hardpath_blocks::array::Array;
use hardpath_blocks::host::{LongIn, MapQuestion, LONG_BYTES};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::UpdateMay;
use hardpath_rtl::{Design, Module, Node};

/// Clocks from a request to its address: index, first pair, pair.
pub(super) const CLOCKS: u32 = 3;

/// Clocks from the row that a map names to its bytes, which whoever places it has to keep: of them the host port takes
/// [`LONG_CLOCKS`](hardpath_blocks::host::LONG_CLOCKS).
pub const ROW_CLOCKS: u32 = 3;

/// Clocks behind those of a request until what a lookup found stands in the host port.
pub(super) const AFTER: u32 = 4;

/// Bits of a row.
const ROW_BITS: u32 = 8 * LONG_BYTES / 2;

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    entering: &Entering,
) -> Leaving {
    let fold = Fold::of(config);
    let clocks = config.value_clocks() - 1;
    let access = entering.access.expect("it is accessed in parts");
    m.section("What is asked, with its index");
    let index = m.delay("index", entering.request.request_key);
    let outside = outside(m, config, entering, "index", index);
    let here = m.delay_reset("here", entering.taken);
    let answer = refused(m, entering, outside);
    m.section("A value of the host's, pair after pair");
    let host = Host::new(m, config, &fold, entering);
    m.section("Values");
    let entry_bits = index_bits(config.max_entries.into());
    let index = m.slice(index, 0, entry_bits);
    let entry = access.address(m, index);
    let of_host = m.slice(entering.question.host_index, 0, entry_bits);
    let meant = m.mux(host.walks, of_host, entry);
    let address_bits = index_bits(fold.depth(config.max_entries).into());
    let first = fold.first_pair(m, meant, address_bits);
    let first = m.delay("first_pair", first);
    let rows = access.rows.as_ref().expect("it is folded");
    let banks = [0, 1].map(|bank| {
        let pair = m.mux(host.walks, host.pair, rows.pairs[bank]);
        let pair = m.delay(format!("pair_{bank}"), pair);
        let pair = m.resize(pair, address_bits);
        let address = m.add(first, pair);
        let address = m.delay(format!("address_{bank}"), address);
        let memory = memory(config, &fold, bank);
        rows_of_bank((&mut *design, &mut *m), &memory, entering, bank, address)
    });
    let [even, odd] = [0, 1].map(|bank: usize| banks[bank].placed.out.read_word[0]);
    let value = m.concat(&[odd, even]);
    let entry = later(m, "read_entry", entry, clocks);
    let found = access.found_in(m, entry, value);
    m.section("What is written");
    let changed = access::changed(m, value, None, Some((access, &found)));
    for (number, bank) in (0..).zip(&banks) {
        let put = bank.slot.writes[0].put.as_ref().expect("it is written");
        let (writes, word) = host.write(m, number, (access, changed));
        m.drive(put.write, writes);
        m.drive(put.write_word, word);
    }
    Leaving {
        here: later(m, "here", here, clocks),
        answer: later(m, "answer", answer, clocks),
        value: None,
        found: Some(found),
        host_answer: host.answer,
        host_value: None,
        host_key: entering.question.host_index,
        long: Some(host.leaving(m, value)),
        prepared: None,
        journal: None,
    }
}

/// The memory of even or odd rows. The host's operations come to it as requests do.
fn rows_of_bank(
    (design, m): (&mut Design, &mut Module),
    memory: &Array,
    entering: &Entering,
    bank: usize,
    address: Node,
) -> Values {
    let name = format!("values_{bank}");
    let values = Values::new((design, &mut *m), name, memory, entering.question);
    let no = m.zero(1);
    m.drive(values.slot.host_a, no);
    m.drive(values.slot.host_write_ok.expect("it follows"), no);
    m.drive(values.slot.read_index[0], address);
    values
}

fn memory(config: &Served, fold: &Fold, bank: usize) -> Array {
    Array {
        name: format!("{}_values_{bank}", config.name),
        depth: fold.depth(config.max_entries),
        value_bits: ROW_BITS,
        ..config.values_memory(true)
    }
}

/// The answer to a request by key: whoever updates a value writes its bytes through the entry instead, and nothing can be deleted.
fn refused(m: &mut Module, entering: &Entering, outside: Node) -> Node {
    let request = entering.request;
    let is = |m: &mut Module, code: u32| m.eq_const(request.request_command, u64::from(code));
    let [update, delete] = [command::UPDATE, command::DELETE].map(|code| is(m, code));
    let updates = m.and(&[request.request_valid, update]);
    let writes_parts = m.not(updates);
    let message = "long values are written in parts";
    m.assert("no_update_of_a_long_value", writes_parts, message);
    let changes = m.or(&[update, delete]);
    let changes = m.delay("changes_keys", changes);
    let bad_index = m.and(&[changes, outside]);
    let conditions = [
        (outside, Answer::Missing),
        (changes, Answer::Refused),
        (bad_index, Answer::BadIndex),
    ];
    last_answer(m, &conditions)
}

/// The host's operation on its way through the map.
struct Host {
    /// A pair of it is in the clock behind requests, and which.
    walks: Node,
    pair: Node,
    /// In the clock of the write: it is there and is written.
    writes: Node,
    /// What is written of each memory.
    rows: [Node; 2],
    /// In the clock of the words: what was there is given, and the pair.
    gives: Node,
    pair_there: Node,
    /// The pair whose bytes are wanted.
    wants: Node,
    answer: Node,
}

impl Host {
    fn new(m: &mut Module, config: &Served, fold: &Fold, entering: &Entering) -> Host {
        let bits = fold.pair_bits();
        let question = entering.question;
        let (walks_reg, walks) = m.reg_reset("walks", 1, 0);
        let (pair_reg, pair) = m.reg("walks_at", bits);
        let at_last = m.eq_const(pair, u64::from(fold.pairs) - 1);
        let goes_on = m.not(at_last);
        let goes_on = m.and(&[walks, goes_on]);
        let next = m.or(&[entering.inject, goes_on]);
        m.set_next(walks_reg, next);
        let following = m.add_const(pair, 1);
        let following = m.gate(goes_on, following);
        m.set_next(pair_reg, following);
        let outside = outside(m, config, entering, "host_index", question.host_index);
        let answer = answer(m, question, outside);
        let answer = m.delay("host_answer", answer);
        let failed = m.reduce_or(answer);
        let done = m.not(failed);
        let updates = m.eq_const(question.host_command, u64::from(command::UPDATE));
        let deletes = m.eq_const(question.host_command, u64::from(command::DELETE));
        let writes = m.and(&[updates, done]);
        let writes = m.delay("host_writes", writes);
        let changes = m.or(&[updates, deletes]);
        let reads = m.not(changes);
        let reads = m.and(&[reads, done]);
        let reads = m.delay("host_reads", reads);
        let clocks = config.value_clocks() - 1;
        // From the pair in the clock behind requests to its bytes in that of the write.
        let to_write = config.write_clocks();
        let wants = later(m, "host_wants", pair, clocks + to_write - ROW_CLOCKS);
        let pair_there = later(m, "host_pair", pair, clocks);
        let there = later(m, "host_there", walks, clocks);
        let there_then = later(m, "host_there_then", there, to_write);
        let bytes = entering.long_bytes.expect("the host has long values");
        Host {
            walks,
            pair,
            writes: m.and(&[there_then, writes]),
            rows: [0, 1].map(|row| m.slice(bytes, row * ROW_BITS, ROW_BITS)),
            gives: m.and(&[there, reads]),
            pair_there,
            wants,
            answer,
        }
    }

    /// What a memory is written: the host's row, or what an access makes of it.
    fn write(
        &self,
        m: &mut Module,
        bank: u32,
        (access, (changes, value)): (&Access, (Node, Node)),
    ) -> (Node, Node) {
        // What is beside its bytes may be another value's, which its own memory does not write then.
        let changes = m.and(&[changes, access.means_row[bank as usize]]);
        let row = m.slice(value, bank * ROW_BITS, ROW_BITS);
        let of_host = m.gate(self.writes, self.rows[bank as usize]);
        (m.or(&[self.writes, changes]), m.or(&[row, of_host]))
    }

    /// What a lookup found.
    fn leaving(&self, m: &mut Module, value: Node) -> LongIn {
        let gives = m.delay_reset("gives", self.gives);
        let given = m.delay("given_pair", self.pair_there);
        LongIn {
            long_row: m.mux(gives, given, self.wants),
            long_gives: gives,
            long_given: m.delay("given", value),
        }
    }
}

/// The answer to the host.
fn answer(m: &mut Module, question: &MapQuestion, outside: Node) -> Node {
    let is = |m: &mut Module, code: u32| m.eq_const(question.host_command, u64::from(code));
    let codes = [
        command::LOOKUP,
        command::UPDATE,
        command::DELETE,
        command::DUMP,
    ];
    let [lookup, update, delete, dump] = codes.map(|code| is(m, code));
    let may = UpdateMay::of(m, question.host_may);
    let conditions = [
        (vec![lookup, outside], Answer::Missing),
        (vec![update, may.only_create], Answer::Exists),
        (vec![update, may.nothing], Answer::Refused),
        (vec![delete], Answer::Refused),
        (vec![update, outside], Answer::BadIndex),
        (vec![delete, outside], Answer::BadIndex),
        (vec![dump, outside], Answer::BadIndex),
    ];
    let conditions = conditions.map(|(all, answer)| (m.and(&all), answer));
    last_answer(m, &conditions)
}
