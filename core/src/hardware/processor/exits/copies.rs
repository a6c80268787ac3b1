//! Further copies of packets, from the row that sends them until their packet leaves.
//!
//! A copy leaves behind its packet, with what stands in the exit buffer when it is sent. So all of that is kept, for as many copies of
//! each thread as the core has room for. Only those are kept that lead somewhere. A packet's first row forgets all copies of its thread: so
//! one that begins again has none.

use super::super::is;
use super::leaves::way;
use super::{parts_of, ExitsIn, Processor, Said, SendsIn, Stored};
use crate::encode::layout::{self, Bits, Opcode};
use crate::hardware::lanes::CUT_STAGE;
use crate::hardware::pick::Pick;
use crate::hardware::shift::{later, later_from_reset};
use hardpath_blocks::index_bits;
use hardpath_packet::{Class, INDEX_BITS};
use hardpath_rtl::{Mem, MemStyle, Module, Node, Reg};

/// The stage in which the exit buffer has what the row has put.
const KEPT_STAGE: u32 = CUT_STAGE + 2;

/// Whose turn it is: a copy's, and which one's.
pub(super) struct Copy {
    pub is: (Reg, Node),
    pub number: (Reg, Node),
}

/// The copies of all threads.
pub(super) struct Copies {
    kept: Mem,
    widths: Vec<u32>,
    counts: Mem,
}

/// Bits of the number of a copy.
pub(super) fn number_bits(config: &Processor) -> u32 {
    index_bits(config.copies.into())
}

impl Copies {
    pub fn new(
        m: &mut Module,
        config: &Processor,
        (inputs, sends): (&ExitsIn, &SendsIn),
        stored: &Stored,
    ) -> Copies {
        let threads = u32::from(config.shape.threads);
        let words: Vec<Node> = inputs.lanes.iter().map(|lane| lane.word).collect();
        let kinds: Vec<Node> = words
            .iter()
            .map(|word| is(m, *word, &[Opcode::Send]))
            .collect();
        let pick = Pick::nth(m, &kinds, 0);
        let happens = pick
            .later(m, "send_happens", CUT_STAGE)
            .gated(m, &sends.lane_active);
        let happens = later_from_reset(m, "sends", happens, KEPT_STAGE - CUT_STAGE);
        let thread = later(m, "sending_thread", inputs.thread_9, KEPT_STAGE - CUT_STAGE);
        let mut part = |name: &str, bits: Bits| {
            pick.part(m, &format!("sent_{name}"), &words, bits, KEPT_STAGE)
        };
        let has_outputs = part("has_outputs", layout::HAS_OUTPUTS);
        let way_of_copy = part("way", layout::WAY);
        let leaving = part("leaving", layout::LEAVING);
        let outputs = part("outputs", layout::OUTPUTS);
        let words = stored.words(m, thread);
        let zero = m.zero(1);
        let said = Said {
            forwarded: zero,
            has_outputs,
            way: way_of_copy,
            leaving,
            outputs,
            index: m.zero(INDEX_BITS),
            line: zero,
            lines: zero,
            length: zero,
            front_lines: zero,
            each: None,
            over: None,
            words: words.clone(),
        };
        let (class, _) = way(m, config, &said);
        let nowhere = m.eq_const(class, Class::Nowhere.code());
        let somewhere = m.not(nowhere);
        let comes = m.and(&[happens, somewhere]);
        let begins = later_from_reset(m, "begins_to_send", sends.row_begins, KEPT_STAGE);
        let starts = later(m, "starts_to_send", sends.row_starts, KEPT_STAGE);
        let bits = index_bits(u64::from(config.copies) + 1);
        let counts = m.mem("copies_so_far", bits, threads, MemStyle::Distributed);
        let before = m.mem_read_async(counts, thread);
        let goes_on = m.not(starts);
        let before = m.gate(goes_on, before);
        let one = m.zext(comes, bits);
        let count = m.add(before, one);
        m.mem_write(counts, thread, count, begins);
        let parts = [has_outputs, way_of_copy, leaving, outputs];
        let parts: Vec<Node> = parts.into_iter().chain(words).collect();
        let number = m.slice(before, 0, number_bits(config));
        let address = m.concat(&[thread, number]);
        let word = m.concat(&parts);
        let (address, word) = (m.delay("copy_at", address), m.delay("copy", word));
        let comes = m.delay_reset("copy_comes", comes);
        let depth = threads << number_bits(config);
        let kept = m.mem("copies", m.width(word), depth, MemStyle::Distributed);
        m.mem_write(kept, address, word, comes);
        Copies {
            kept,
            widths: parts.iter().map(|part| m.width(*part)).collect(),
            counts,
        }
    }

    /// How many the oldest packet has; one that is cut short has none.
    pub fn count(&self, m: &mut Module, oldest: Node, said: &Said) -> Node {
        let count = m.mem_read_async(self.counts, oldest);
        let over = said.over.expect("it is kept where packets have copies");
        let goes = m.not(over);
        m.gate(goes, count)
    }

    /// What is said of the oldest packet, or of the copy whose turn it is.
    pub fn or_packet(&self, m: &mut Module, oldest: Node, copy: &Copy, packet: &Said) -> Said {
        let address = m.concat(&[oldest, copy.number.1]);
        let word = m.mem_read_async(self.kept, address);
        let parts = parts_of(m, word, &self.widths);
        let mut or = |of_copy: Node, of_packet: Node| m.mux(copy.is.1, of_copy, of_packet);
        let words = parts[4..].iter().zip(&packet.words);
        let words = words.map(|(copy, packet)| or(*copy, *packet)).collect();
        let (has_outputs, way) = (or(parts[0], packet.has_outputs), or(parts[1], packet.way));
        let (leaving, outputs) = (or(parts[2], packet.leaving), or(parts[3], packet.outputs));
        let itself = m.not(copy.is.1);
        Said {
            has_outputs,
            way,
            leaving,
            outputs,
            index: m.gate(itself, packet.index),
            words,
            ..packet.clone()
        }
    }
}
