//! A load on its way in: what its head says, rows into the bank that does not run, and whether it is right. As long as packets run from
//! that bank, each load is refused at its first word.

use super::super::{Processor, Rooms, Settings};
use super::{ProgramIn, Write};
use crate::encode::layout::Opcode;
use crate::image::rows::LANE_BITS;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Module, Node};

/// Words of a load in front of those of the slots.
pub const FIXED_WORDS: u64 = 17;
/// Words of each slot.
pub const SLOT_WORDS: u64 = 2;

/// Words of a load in front of its rows.
pub fn head_words(config: &Processor) -> u64 {
    FIXED_WORDS + SLOT_WORDS * config.slots.len() as u64
}

/// A load: where its next word belongs.
pub(super) struct Load {
    pub under_way: Node,
    pub wrong: Node,
    /// Strobe: all of it came, and is right.
    pub right: Node,
    /// Of both banks.
    pub settings: Vec<Settings>,
    pub rooms: Rooms,
    /// A bit for each slot: its map is cleared; the program uses it, and changes it.
    pub clears: Node,
    pub uses: Node,
    pub changes: Node,
    /// The entrance stays closed until the host says so.
    pub holds: Node,
    /// What the program is known by, to loads behind it.
    pub name: Node,
    /// In registers: a word, and that it belongs to the rows.
    word: Node,
    of_rows: Node,
    /// It says how many rows there are.
    is_count: Node,
    /// A wire: all rows have come.
    rows_end: Node,
}

impl Load {
    /// `runs`: what the program that runs is known by. `bank`: where it stands; and whether packets run from the other one.
    pub fn new(
        m: &mut Module,
        config: &Processor,
        inputs: &ProgramIn,
        runs: Node,
        (bank, in_use): (Node, Node),
    ) -> Load {
        let head_words = head_words(config);
        let begins = m.delay_reset("load_begins_1", inputs.load_begins);
        let came = m.delay_reset("load_valid_1", inputs.load_valid);
        let word = m.delay("load_word_1", inputs.load_word);
        let (way_reg, under_way) = m.reg_reset("under_way", 1, 0);
        let valid = m.and(&[came, under_way]);
        let (at_reg, at) = m.reg_reset("head_word", index_bits(head_words + 1), 0);
        let in_head = m.constant(head_words, m.width(at));
        let in_head = m.ult(at, in_head);
        let heads = m.and(&[valid, in_head]);
        let after = m.add_const(at, 1);
        let next = m.mux(heads, after, at);
        let zero = m.zero(m.width(at));
        let next = m.mux(begins, zero, next);
        m.set_next(at_reg, next);
        let other = m.not(bank);
        let settings = [("0", bank), ("1", other)];
        let settings = settings.map(|(name, goes)| {
            let takes = m.and(&[heads, goes]);
            settings_of(m, config, name, (takes, at, word))
        });
        let mut part = |name: &str, number: u64, width: u32| {
            let here = m.eq_const(at, number);
            let here = m.and(&[heads, here]);
            let bits = m.slice(word, 0, width);
            m.hold(format!("loaded_{name}"), here, bits)
        };
        let slot_bits = config.slots.len().max(1) as u32;
        let clears = part("clears", 11, slot_bits);
        let uses = part("uses", 12, slot_bits);
        let holds = part("holds", 14, 1);
        let changes = part("changes", 15, slot_bits);
        let name = part("name", 16, 32);
        let room_widths = Rooms::widths(config);
        let mut of_slots = |name: &str, first: u64, widths: &[u32]| {
            let words = (0..).zip(widths).map(|(slot, width)| {
                let number = FIXED_WORDS + SLOT_WORDS * slot + first;
                part(&format!("{name}_{slot}"), number, *width)
            });
            words.collect()
        };
        let rooms = Rooms {
            key_bytes: of_slots("key_bytes", 0, &room_widths.key_bytes),
            most: of_slots("most", 1, &room_widths.most),
        };
        let counts = m.eq_const(at, 1);
        let is_count = m.and(&[heads, counts]);
        let first = m.eq_const(at, 0);
        let first = m.and(&[heads, first]);
        let own = m.eq_const(word, config.identity().into());
        let is_foreign = m.not(own);
        let foreign = m.and(&[first, is_foreign]);
        let most = m.constant(config.machine.rows.into(), 32);
        let too_many = m.ult(most, word);
        let some = m.reduce_or(word);
        let none = m.not(some);
        let unfit = m.or(&[too_many, none]);
        let unfit = m.and(&[is_count, unfit]);
        let behind = m.eq_const(at, 13);
        let behind = m.and(&[heads, behind]);
        let none_named = m.reduce_or(word);
        let other = m.ne(word, runs);
        let not_behind = m.and(&[behind, none_named, other]);
        let early = m.and(&[valid, in_use]);
        let refused = m.or(&[foreign, unfit, not_behind, early]);
        let ended = m.wire(1, "rows_end");
        let body = m.not(in_head);
        let not_ended = m.not(ended);
        let of_rows = m.and(&[valid, body, not_ended]);
        let last = m.and(&[valid, body, ended]);
        let sum = checksum(m, (begins, valid), word);
        let fits = m.eq(sum, word);
        let (wrong_reg, wrong) = m.reg_reset("wrong", 1, 0);
        let fails = m.not(fits);
        let fails = m.and(&[last, fails]);
        let not_begins = m.not(begins);
        let stays = m.and(&[wrong, not_begins]);
        let next = m.or(&[stays, refused, fails]);
        m.set_next(wrong_reg, next);
        let ends = m.or(&[last, refused]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[under_way, goes_on]);
        let next = m.or(&[begins, goes_on]);
        m.set_next(way_reg, next);
        Load {
            under_way,
            wrong,
            right: m.and(&[last, fits]),
            settings: settings.into(),
            rooms,
            clears,
            uses,
            changes,
            holds,
            name,
            word,
            of_rows,
            is_count,
            rows_end: ended,
        }
    }

    /// What is written for the word.
    pub fn words(&self, m: &mut Module, config: &Processor) -> Write {
        let words = u32::from(config.shape.lanes) * LANE_BITS;
        let (rows_reg, rows) = m.reg("rows_left", config.row_bits() + 1);
        let (needs_reg, needs) = m.reg("words_needed", words);
        let (row_reg, row) = m.reg("row_written", config.row_bits());
        let inside = m.reduce_or(needs);
        let is_header = m.not(inside);
        let header = m.slice(self.word, 0, words);
        let lower = m.sub_const(needs, 1);
        let left = m.and(&[needs, lower]);
        let not_lower = m.not(lower);
        let this = m.and(&[needs, not_lower]);
        let next = m.mux(is_header, header, left);
        let nothing = m.reduce_or(next);
        let row_ends = m.not(nothing);
        let row_ends = m.and(&[row_ends, self.of_rows]);
        // The number of rows is a word of the head, which stands still from then on.
        let starts = self.is_count;
        let zero = m.zero(words);
        let needs_next = m.mux(starts, zero, next);
        let changes = m.or(&[starts, self.of_rows]);
        m.set_next_when(needs_reg, changes, needs_next);
        let count = m.slice(self.word, 0, config.row_bits() + 1);
        let fewer = m.sub_const(rows, 1);
        let rows_next = m.mux(starts, count, fewer);
        let changes = m.or(&[starts, row_ends]);
        m.set_next_when(rows_reg, changes, rows_next);
        let first = m.zero(config.row_bits());
        let after = m.add_const(row, 1);
        let row_next = m.mux(starts, first, after);
        m.set_next_when(row_reg, changes, row_next);
        let some = m.reduce_or(rows);
        let none = m.not(some);
        m.drive(self.rows_end, none);
        // The first word of each lane has the opcode.
        let firsts = (0..words)
            .rev()
            .map(|word| m.constant(u64::from(word % LANE_BITS == 0), 1));
        let firsts: Vec<Node> = firsts.collect();
        let firsts = m.concat(&firsts);
        let first = m.and(&[this, firsts]);
        let is_first = m.reduce_or(first);
        let stores = super::super::is(m, self.word, &[Opcode::Store, Opcode::Clear, Opcode::Copy]);
        let own = m.not(is_header);
        let stores = m.and(&[own, is_first, stores]);
        let (mark_reg, before) = m.reg("stores_so_far", 1);
        let before = m.and(&[before, own]);
        let mark = m.or(&[before, stores]);
        m.set_next_when(mark_reg, self.of_rows, mark);
        let absent = m.not(header);
        let enable = m.mux(is_header, absent, this);
        let on = m.sext(self.of_rows, words);
        let enable = m.and(&[enable, on]);
        Write {
            row,
            enable,
            word: {
                let data = m.not(is_header);
                m.gate(data, self.word)
            },
            marks: row_ends,
            mark,
        }
    }
}

/// What the head says of a bank; they stand still but for the word that is taken.
fn settings_of(
    m: &mut Module,
    config: &Processor,
    bank: &str,
    (takes, at, word): (Node, Node, Node),
) -> Settings {
    let mut number = 1;
    Settings::widths(config).map(&mut |name, _, width| {
        number += 1;
        let here = m.eq_const(at, number);
        let here = m.and(&[takes, here]);
        let bits = m.slice(word, 0, width);
        m.hold(format!("{name}_of_bank_{bank}"), here, bits)
    })
}

/// CRC-32 (that of Ethernet) over the words so far, as a word. `begins`: none yet.
fn checksum(m: &mut Module, (begins, takes): (Node, Node), word: Node) -> Node {
    let (reg, sum) = m.reg("sum", 32);
    let mixed = m.xor(&[sum, word]);
    let bits: Vec<Node> = (0..32)
        .rev()
        .map(|bit| {
            let terms = (0..32).filter(|from| shifted(1 << from) >> bit & 1 == 1);
            let terms: Vec<Node> = terms.map(|from| m.bit(mixed, from)).collect();
            m.xor(&terms)
        })
        .collect();
    let next = m.concat(&bits);
    let ones = m.constant(u32::MAX.into(), 32);
    let next = m.mux(begins, ones, next);
    let changes = m.or(&[begins, takes]);
    m.set_next_when(reg, changes, next);
    m.not(sum)
}

/// 32 steps of the reflected polynomial.
fn shifted(word: u32) -> u32 {
    (0..32).fold(word, |word, _| match word & 1 {
        1 => word >> 1 ^ 0xedb8_8320,
        _ => word >> 1,
    })
}
