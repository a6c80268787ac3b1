//! Answers, in the order of the requests: what comes back, as an operation.

use super::super::answer::answer_word;
use super::super::is;
use super::super::slots::Slot;
use super::choice::{Held, Tag};
use super::{Records, Requests, RequestsOut, UNDER_WAY};
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::part;
use crate::hardware::shift::later;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_rtl::{Module, Node};

impl Requests<'_> {
    pub(super) fn answers(
        &mut self,
        records: &Records,
        (tag, held): (&Tag, &Held),
        slot: &Slot,
        (taken, map): (Node, Node),
        outputs: &mut RequestsOut,
    ) {
        let m = &mut *self.m;
        let map_bits = self.config.map_bits();
        let thread_bits = self.config.thread_bits();
        let word = m.concat(&[tag.posted, tag.thread, held.request.map]);
        let name = format!("{}_order", self.config.name);
        let order = fifo(&name, m.width(word), UNDER_WAY);
        let pop = m.wire(1, "order_pop");
        let inputs = FifoIn {
            push: held.accepted,
            data_in: word,
            pop,
        };
        let order = order.place(self.design, m, "order", inputs).out;
        let head_map = m.slice(order.data_out, 0, map_bits);
        m.drive(map, head_map);
        let takes = m.and(&[order.valid, slot.responds]);
        m.drive(taken, order.valid);
        m.drive(pop, takes);
        m.drive(held.answered, takes);
        let posted = m.bit(order.data_out, map_bits + thread_bits);
        let wanted = m.not(posted);
        let comes = m.and(&[takes, wanted]);
        let valid = m.delay_reset("answer_came", comes);
        let thread = m.slice(order.data_out, map_bits, thread_bits);
        let thread = m.delay("answer_of", thread);
        let answer = m.delay("answer", slot.answer);
        let entry = m.delay("answer_entry", slot.entry);
        let word = m.delay("answer_bytes", slot.word);
        // A clock later: as an operation.
        let record = m.mem_read_async(records.low, thread);
        let low = m.slice(record, 0, 32);
        let lane = (records.low_bits > 32).then(|| m.slice(record, 32, records.low_bits - 32));
        let operation = operation(m, low, (answer, entry, word));
        outputs.answer_valid = m.delay_reset("comes_back", valid);
        outputs.answer_thread = m.delay("thread_back", thread);
        outputs.answer_lane = lane.map(|lane| later(m, "lane_back", lane, 3));
        outputs.answer_word = later(m, "word_back", operation, 3);
    }
}

/// What comes back, as an operation.
fn operation(m: &mut Module, low: Node, (answer, entry, word): (Node, Node, Node)) -> Node {
    let looks_up = is(m, low, &[Opcode::Lookup]);
    let loads = is(m, low, &[Opcode::MapLoad]);
    let stores = is(m, low, &[Opcode::MapStore]);
    let reads = is(m, low, &[Opcode::MapLoad, Opcode::Atomic]);
    let told = m.zext(answer, 64);
    let entry = m.zext(entry, 64);
    let value = m.mux(reads, word, told);
    let value = m.mux(looks_up, entry, value);
    let has_to = part(m, low, layout::HAS_TO);
    let writes = m.or(&[has_to, loads]);
    let not_stores = m.not(stores);
    let writes = m.and(&[writes, not_stores]);
    let fails = m.reduce_or(answer);
    let hits = m.not(fails);
    answer_word(m, low, (writes, value), Some((looks_up, hits)))
}
