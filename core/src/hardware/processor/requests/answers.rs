//! Answers, in the order of the requests: where they go, and what they are.

use super::super::is;
use super::super::slots::Slot;
use super::choice::{Held, Tag};
use super::{AnswerOut, Records, Requests, RequestsOut, UNDER_WAY};
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::part;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

/// Answers that can wait for a place beside the rows; a power of two.
const KEPT: u32 = 8;

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
        let room = m.wire(1, "answers_have_room");
        let offers = m.and(&[order.valid, room]);
        let takes = m.and(&[offers, slot.responds]);
        m.drive(taken, offers);
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
        let answer = self.answer(records, (valid, thread), (answer, entry, word));
        outputs.answer = self.kept(answer, (comes, room));
    }

    /// Where an answer goes, and what it is.
    fn answer(
        &mut self,
        records: &Records,
        (answer_valid, answer_thread): (Node, Node),
        (answer, entry, word): (Node, Node, Node),
    ) -> AnswerOut {
        let (m, shape) = (&mut *self.m, &self.config.shape);
        let record = m.mem_read_async(records.low, answer_thread);
        let low = m.slice(record, 0, 32);
        let lane = (records.low_bits > 32).then(|| m.slice(record, 32, records.low_bits - 32));
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
        let to = part(m, low, layout::TO);
        let fails = m.reduce_or(answer);
        AnswerOut {
            answer_valid,
            answer_thread,
            answer_writes: m.and(&[writes, not_stores]),
            answer_lane: lane,
            answer_to: m.slice(to, 0, shape.index_bits()),
            answer_value: value,
            answer_tells: looks_up,
            answer_hit: part(m, low, layout::HIT),
            answer_is_hit: m.not(fails),
        }
    }

    /// Answers that wait until they are taken. `comes`: another one is on its way; `room`, a wire: it may be.
    fn kept(&mut self, answer: AnswerOut, (comes, room): (Node, Node)) -> AnswerOut {
        let m = &mut *self.m;
        let mut parts = Vec::new();
        let push = answer.answer_valid;
        answer.map(&mut |_, _, node| parts.push(node));
        let word = m.concat(&parts[1..]);
        let name = format!("{}_answers", self.config.name);
        let pop = self.inputs.answer_taken;
        let inputs = FifoIn {
            push,
            data_in: word,
            pop,
        };
        let block = fifo(&name, m.width(word), KEPT);
        let out = block.place(self.design, m, "answers", inputs).out;
        // Those on their way have their place.
        let bits = index_bits(u64::from(KEPT) + 1);
        let (count_reg, count) = m.reg_reset("answers_kept", bits, 0);
        let [more, fewer] = [m.add_const(count, 1), m.sub_const(count, 1)];
        m.set_next_of_one(count_reg, (pop, fewer), (comes, more));
        let full = m.bit(count, bits - 1);
        let free = m.not(full);
        m.drive(room, free);
        let mut at = m.width(word);
        AnswerOut::widths(self.config).map(&mut |name, _, width| {
            if name == "answer_valid" {
                return out.valid;
            }
            at -= width;
            m.slice(out.data_out, at, width)
        })
    }
}
