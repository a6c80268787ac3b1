//! The programs of a core: two banks of rows. One runs, and the other takes what a loader writes.
//!
//! A load is a stream of words of 32 bits, as [`stream`](super::stream) makes it: what the core must be, what the program asks for, packed
//! rows, and the checksum of all that. Each clock takes one. A load for another core, or of no rows or more than a bank has, is given up
//! at that word. When the checksum is right, the entrance closes, and the banks change when no packet is inside.

use super::{Processor, Settings};
use crate::encode::layout::{self, Opcode, WORDS};
use crate::image::rows::LANE_BITS;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::{Block, Signals};
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// Stages from a row's number to its words.
pub const FETCH_CLOCKS: u32 = 2;
/// Words of a load in front of its rows.
pub const HEAD_WORDS: u64 = 11;

signals! {
    /// Into the program memory.
    pub struct ProgramIn {
        row: one "stage -2: the row's number",
        row_valid: one "stage -1: a row of the program begins",
        may_store: one "stage -1: its packet may be written",
        answer_valid: one "stage -1: what a unit brings begins",
        answer_lane: maybe "stage -1: in this lane",
        answer_word: one "stage -1: an operation",
        load_begins: one "what was loaded so far is forgotten",
        load_valid: one "a word of a load",
        load_word: one "this one",
        empty: one "no packet is inside, and none comes in",
    }
}

signals! {
    /// Out of the program memory.
    pub struct ProgramOut {
        words: several "stage 0: of each lane its operation",
        parks: one "stage 0: the row does nothing, since it writes bytes and may not",
        stores: one "stage 0: the row writes bytes",
        settings: all Settings,
        runs: one "there is a program",
        wants: one "a program waits until no packet is inside",
        status: one "bit 0: a load is under way, 1: a program waits, 2: the last load was not right, 3: a program runs; 31:16: programs so far",
    }
}

/// Makes the program memory.
pub fn program(config: &Processor) -> Block<ProgramIn, ProgramOut> {
    let name = format!("{}_program", config.name);
    let header = format!(
        "Program memory: two banks of {} rows of {} operations.\n\
         A row's number comes in stage -2, its words stand in registers in stage 0. What units bring back takes the place of a row.\n\
         A load takes a word in each clock, and changes nothing of the program that runs.",
        config.machine.rows, config.shape.lanes
    );
    let mut m = Module::new(name, header);
    let lane_bits = config.shape.bank_bits();
    let inputs = m.inputs(ProgramIn {
        row: config.row_bits(),
        row_valid: 1,
        may_store: 1,
        answer_valid: 1,
        answer_lane: lane_bits,
        answer_word: 128,
        load_begins: 1,
        load_valid: 1,
        load_word: 32,
        empty: 1,
    });
    m.section("What is loaded");
    let (bank_reg, bank) = m.reg_reset("bank", 1, 0);
    let load = Load::new(&mut m, config, &inputs);
    let write = load.words(&mut m, config);
    m.section("The banks change");
    let (wants_reg, wants) = m.reg_reset("wants_reg", 1, 0);
    let switches = m.and(&[wants, inputs.empty]);
    let forgets = m.or(&[switches, inputs.load_begins]);
    let kept = m.not(forgets);
    let kept = m.and(&[wants, kept]);
    let wants_next = m.or(&[kept, load.right]);
    m.set_next(wants_reg, wants_next);
    let other = m.not(bank);
    m.set_next_when(bank_reg, switches, other);
    let (runs_reg, runs) = m.reg_reset("runs_reg", 1, 0);
    let one = m.one();
    m.set_next_when(runs_reg, switches, one);
    let (count_reg, count) = m.reg_reset("programs", 16, 0);
    let next = m.add_const(count, 1);
    m.set_next_when(count_reg, switches, next);
    let settings = load.settings.clone();
    let settings =
        settings.map(&mut |name, _, node| m.hold_reset(format!("{name}_reg"), switches, node));
    m.section("Rows");
    let (words, parks, stores) = rows(&mut m, config, &inputs, bank, &write);
    let gap = m.zero(12);
    let status = m.concat(&[count, gap, runs, load.wrong, wants, load.under_way]);
    let outputs = ProgramOut {
        words,
        parks,
        stores,
        settings,
        runs,
        wants,
        status,
    };
    m.into_block(inputs, outputs)
}

/// A write of a row: its number, which words, and what all of them become.
struct Write {
    row: Node,
    enable: Node,
    word: Node,
    /// The row is complete, and whether it writes bytes of packet or stack.
    marks: Node,
    mark: Node,
}

fn rows(
    m: &mut Module,
    config: &Processor,
    inputs: &ProgramIn,
    bank: Node,
    write: &Write,
) -> (Vec<Node>, Node, Node) {
    let lanes = usize::from(config.shape.lanes);
    let words = lanes * WORDS;
    let mem = m.mem(
        "rows",
        32 * words as u32,
        2 * config.machine.rows,
        MemStyle::Ultra,
    );
    let other = m.not(bank);
    let address = m.concat(&[other, write.row]);
    let data = m.concat(&vec![write.word; words]);
    m.mem_write(mem, address, data, write.enable);
    let marks = m.mem("marks", 1, 2 * config.machine.rows, MemStyle::Block);
    m.mem_write(marks, address, write.mark, write.marks);
    let address = m.concat(&[bank, inputs.row]);
    let one = m.one();
    let row = m.mem_read_sync(mem, address, one);
    let mark = m.mem_read_sync(marks, address, one);
    let may_not = m.not(inputs.may_store);
    let parks = m.and(&[inputs.row_valid, mark, may_not]);
    let stays = m.not(parks);
    let begins = m.and(&[inputs.row_valid, stays]);
    let opcode = u32::from(layout::OPCODE.width);
    let words = (0..lanes)
        .map(|lane| {
            let of_program = m.slice(row, 128 * lane as u32, 128);
            let here = match inputs.answer_lane {
                Some(number) => {
                    let here = m.eq_const(number, lane as u64);
                    m.and(&[here, inputs.answer_valid])
                }
                None => inputs.answer_valid,
            };
            let word = m.mux(here, inputs.answer_word, of_program);
            // Without an opcode nothing else counts.
            let happens = m.or(&[here, begins]);
            let low = m.slice(word, 0, opcode);
            let low = m.gate(happens, low);
            let high = m.slice(word, opcode, 128 - opcode);
            let word = m.concat(&[high, low]);
            m.delay(format!("word_{lane}"), word)
        })
        .collect();
    let stores = m.and(&[begins, mark]);
    let stores = m.delay_reset("stores_reg", stores);
    (words, m.delay_reset("parks_reg", parks), stores)
}

/// A load: where its next word belongs.
struct Load {
    under_way: Node,
    wrong: Node,
    /// Strobe: all of it came, and is right.
    right: Node,
    settings: Settings,
    /// In registers: a word, and that it belongs to the rows.
    word: Node,
    of_rows: Node,
    /// It says how many rows there are.
    is_count: Node,
    /// A wire: all rows have come.
    rows_end: Node,
}

impl Load {
    fn new(m: &mut Module, config: &Processor, inputs: &ProgramIn) -> Load {
        let begins = m.delay_reset("load_begins_1", inputs.load_begins);
        let came = m.delay_reset("load_valid_1", inputs.load_valid);
        let word = m.delay("load_word_1", inputs.load_word);
        let (way_reg, under_way) = m.reg_reset("under_way", 1, 0);
        let valid = m.and(&[came, under_way]);
        let (at_reg, at) = m.reg_reset("head_word", index_bits(HEAD_WORDS + 1), 0);
        let in_head = m.constant(HEAD_WORDS, m.width(at));
        let in_head = m.ult(at, in_head);
        let heads = m.and(&[valid, in_head]);
        let after = m.add_const(at, 1);
        let next = m.mux(heads, after, at);
        let zero = m.zero(m.width(at));
        let next = m.mux(begins, zero, next);
        m.set_next(at_reg, next);
        let mut part = |name: &str, number: u64, width: u32| {
            let here = m.eq_const(at, number);
            let here = m.and(&[heads, here]);
            let bits = m.slice(word, 0, width);
            m.hold(format!("loaded_{name}"), here, bits)
        };
        let widths = Settings::widths(config);
        let settings = Settings {
            front_lines: part("front_lines", 2, widths.front_lines),
            headroom: part("headroom", 3, widths.headroom),
            stack_first: part("stack_first", 4, widths.stack_first),
            stack_end: part("stack_end", 5, widths.stack_end),
            stack_line: part("stack_line", 6, widths.stack_line),
            tail: part("tail", 7, widths.tail),
            shortest: part("shortest", 8, widths.shortest),
            longest: part("longest", 9, widths.longest),
            ordered: part("ordered", 10, widths.ordered),
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
        let refused = m.or(&[foreign, unfit]);
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
            settings,
            word,
            of_rows,
            is_count,
            rows_end: ended,
        }
    }

    /// What is written for the word.
    fn words(&self, m: &mut Module, config: &Processor) -> Write {
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
        let stores = super::is(m, self.word, &[Opcode::Store, Opcode::Clear, Opcode::Copy]);
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
