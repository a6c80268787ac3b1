//! What is read at which address: counters, and the pages of all other registers.

use super::channels::Read;
use super::long::LongValues;
use super::operation::Operation;
use super::words::Words;
use super::{Host, HostPort};
use crate::counters::{choose, counters};
use crate::index_bits;
use hardpath_packet::MOST_OUTCOMES;
use hardpath_registers::{register, MAGIC, VERSION};
use hardpath_rtl::Node;

/// Words that are chosen by the low bits of an address: keys and values begin at multiples of so many.
const PAGE_WORDS: usize = 1024;
/// The counters of what packets are counted as.
const OUTCOMES: [&str; MOST_OUTCOMES] = [
    "outcome_0",
    "outcome_1",
    "outcome_2",
    "outcome_3",
    "outcome_4",
];

/// What an address means, and the word there.
pub(super) type Readable = (Node, Node);

/// Places for counters: a round of turns has as many clocks.
pub(super) fn counters_of(config: &Host) -> usize {
    let others = MOST_OUTCOMES + 3;
    (others + config.events as usize).next_power_of_two()
}

impl HostPort<'_> {
    /// The counters: how many there are, and the count of the one at the address.
    pub(super) fn counters(&mut self, read_word: Node) -> (u64, Node) {
        let (m, inputs) = (&mut self.m, self.inputs);
        m.section("Counters");
        let mut strobes = vec![
            ("packets_in".to_owned(), inputs.packet_in),
            ("dropped_bad".to_owned(), inputs.dropped_bad),
            ("dropped_length".to_owned(), inputs.dropped_length),
        ];
        for (code, name) in OUTCOMES.into_iter().enumerate() {
            let this = m.eq_const(inputs.counted, code as u64);
            strobes.push((name.to_owned(), m.and(&[inputs.fate_valid, this])));
        }
        let events = inputs.event.iter().enumerate();
        strobes.extend(events.map(|(number, event)| (format!("event_{number}"), *event)));
        let there = strobes.len() as u64;
        let mut strobes: Vec<_> = strobes.into_iter().map(Some).collect();
        strobes.resize(counters_of(self.config), None);
        // A counter's place in the memory is what its address ends in.
        strobes.rotate_right(register::PACKETS_IN as usize / 8);
        let count = strobes.len() as u64;
        let shown = m.slice(read_word, 1, index_bits(count));
        (there, counters(m, &strobes, shown))
    }

    /// The count that is read, of 64 bits: its low word first, which latches the high one.
    pub(super) fn counter_word(
        &mut self,
        read: &Read,
        read_word: Node,
        (counters, shown): &(u64, Node),
    ) -> Readable {
        let m = &mut self.m;
        let first_counter = u64::from(register::PACKETS_IN / 8);
        let counter_page = m.slice(read_word, 1, 13);
        let of_counters =
            (0..*counters).map(|place| m.eq_const(counter_page, first_counter + place));
        let of_counters: Vec<Node> = of_counters.collect();
        let at_counter = m.or(&of_counters);
        let at_counter = m.delay("at_counter", at_counter);
        let high_word = m.bit(read_word, 0);
        let low_word = m.not(high_word);
        let (latch_reg, latched) = m.reg_reset("latched_high", 32, 0);
        let latch = m.and(&[read.here, at_counter, low_word]);
        let high = m.slice(*shown, 32, 32);
        m.set_next_when(latch_reg, latch, high);
        let low = m.slice(*shown, 0, 32);
        (at_counter, m.mux(high_word, latched, low))
    }

    /// All registers but counters and port table, in the order of their addresses. A page begins at a multiple of its size.
    pub(super) fn registers(
        &mut self,
        read_word: Node,
        (operation, words): (&Operation, &Words),
        long: Option<&LongValues>,
        running: Node,
    ) -> Vec<Readable> {
        let m = &mut self.m;
        let magic = m.constant(u64::from(MAGIC), 32);
        let version = m.constant(u64::from(VERSION), 32);
        let id = m.constant(u64::from(self.config.design_id), 32);
        let no_word = m.zero(32);
        let identification = vec![magic, version, id, running];
        let Operation {
            select,
            status,
            may,
            slot,
            handle,
            ..
        } = *operation;
        let may = m.zext(may, 32);
        let of_operation = vec![select, no_word, status, may, slot, handle];
        let mut pages = vec![
            ("identification", register::MAGIC, identification),
            ("operation", register::MAP_SELECT, of_operation),
        ];
        for (name, first, words) in [
            ("key", register::KEY, &words.key_words),
            ("value", register::VALUE, &words.value_words),
        ] {
            let addresses = (first..).step_by(PAGE_WORDS * 4);
            let chunks = words.chunks(PAGE_WORDS).map(<[Node]>::to_vec);
            let all = addresses.zip(chunks);
            pages.extend(all.map(|(address, words)| (name, address, words)));
        }
        let pages = pages.into_iter().map(|page| {
            let is_value = page.1 >= register::VALUE;
            let (here, word) = self.page(read_word, page);
            let here = match long.filter(|_| is_value) {
                Some(long) => {
                    let not_long = self.m.not(long.selected);
                    self.m.and(&[here, not_long])
                }
                None => here,
            };
            (here, word)
        });
        pages.collect()
    }

    fn page(
        &mut self,
        read_word: Node,
        (name, address, words): (&str, u32, Vec<Node>),
    ) -> Readable {
        let m = &mut self.m;
        let words: Vec<Node> = words.into_iter().map(|word| m.zext(word, 32)).collect();
        let bits = index_bits(words.len() as u64);
        let index = m.slice(read_word, 0, bits);
        let page = m.slice(read_word, bits, 14 - bits);
        let mut here = m.eq_const(page, u64::from(address / 4) >> bits);
        if !words.len().is_power_of_two() {
            let count = m.constant(words.len() as u64, bits);
            let within = m.ult(index, count);
            here = m.and(&[here, within]);
        }
        let word = choose(m, &words, index);
        (
            m.delay(format!("reads_{name}"), here),
            m.name(word, format!("{name}_word")),
        )
    }
}
