//! A lookup: level by level the place of the last begin that is not behind the key.

use super::{Lists, Shape, Table, DIGIT, DIGITS};
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Fewer words never are in UltraRAM, and perhaps in LUTs.
const SMALL: u32 = 1024;

/// Clocks of a lookup, from the stage of the key to that of the answer.
pub(in crate::lpm) fn clocks(shape: Shape, registers: bool) -> u32 {
    let registers = u32::from(registers);
    shape.levels() * (2 + registers) + 1 + registers + 1
}

/// A memory that is read in the clock of a compare: UltraRAM would be too slow for that.
fn memory(m: &mut Module, name: impl Into<String>, width: u32, words: u32) -> Mem {
    let style = match words < SMALL {
        true => MemStyle::Auto,
        false => MemStyle::Block,
    };
    m.mem(name, width, words, style)
}

/// What goes along with a packet, in registers.
struct Along {
    key: Node,
    bank: Node,
    /// Digits of the place that are known, the highest first.
    digits: Option<Node>,
}

impl Along {
    /// A stage later.
    fn later(&mut self, m: &mut Module, stage: u32) {
        self.key = m.delay(format!("key_{stage}"), self.key);
        self.bank = m.delay(format!("bank_{stage}"), self.bank);
        let name = format!("place_{stage}");
        self.digits = self.digits.map(|digits| m.delay(name, digits));
    }
}

impl Table<'_> {
    /// Whether there is a prefix for a key in stage R, and its entry, in the stage before A.
    pub(super) fn search(&mut self, key: Node, lists: &Lists) -> (Node, Node) {
        let shape = self.shape();
        let mut along = Along {
            key,
            bank: lists.bank,
            digits: None,
        };
        let mut stage = 0;
        for level in (0..shape.levels()).rev() {
            self.m
                .section(format!("Stage R + {stage}: level {level} of the search"));
            let mut begins: Vec<(u32, Node)> = (1..=DIGITS)
                .filter(|digit| shape.rows(level, *digit) > 0)
                .map(|digit| (digit, self.begin((level, digit), &along, lists)))
                .collect();
            stage += 1;
            along.later(&mut self.m, stage);
            if self.config.registers {
                for (digit, begin) in &mut begins {
                    *begin = self.m.delay(format!("begin_{level}_{digit}"), *begin);
                }
                stage += 1;
                along.later(&mut self.m, stage);
            }
            let digit = self.digit(level, &begins, &along, lists);
            let m = &mut self.m;
            let digits = match along.digits {
                Some(digits) => m.concat(&[digits, digit]),
                None => digit,
            };
            along.digits = Some(digits);
            stage += 1;
            along.later(m, stage);
        }
        self.found_at(stage, &along, lists)
    }

    /// The memory of the begins of a level with this digit, read; the pass writes it.
    fn begin(&mut self, (level, digit): (u32, u32), along: &Along, lists: &Lists) -> Node {
        let shape = self.shape();
        let m = &mut self.m;
        let row_bits = shape.row_bits(level, digit);
        let name = format!("begins_{level}_{digit}");
        let memory = memory(m, name, shape.data_bits, 2 << row_bits);
        let address = match along.digits.filter(|_| row_bits > 0) {
            Some(digits) => {
                let row = m.resize(digits, row_bits);
                m.concat(&[along.bank, row])
            }
            None => along.bank,
        };
        let one = m.one();
        let word = m.mem_read_sync(memory, address, one);
        let put = lists.put;
        let place = m.zext(put.place, shape.levels() * DIGIT);
        let own = m.slice(place, DIGIT * level, DIGIT);
        let mut here = vec![put.enable, m.eq_const(own, u64::from(digit))];
        if level > 0 {
            let behind = m.slice(place, 0, DIGIT * level);
            here.push(m.eq_const(behind, 0));
        }
        let enable = m.and(&here);
        let address = match row_bits {
            0 => put.bank,
            _ => {
                let above = DIGIT * (level + 1);
                let row = m.slice(place, above, m.width(place) - above);
                let row = m.resize(row, row_bits);
                m.concat(&[put.bank, row])
            }
        };
        m.mem_write(memory, address, put.begin, enable);
        word
    }

    /// The digit of a level: begins stand in order, so as many as are not behind the key.
    fn digit(&mut self, level: u32, begins: &[(u32, Node)], along: &Along, lists: &Lists) -> Node {
        let shape = self.shape();
        let m = &mut self.m;
        let place_bits = shape.levels() * DIGIT;
        let count = m.mux(along.bank, lists.counts[1], lists.counts[0]);
        let count = m.zext(count, place_bits);
        let count = m.slice(count, DIGIT * level, place_bits - DIGIT * level);
        let mut reached = vec![m.zero(1); DIGITS as usize];
        for (digit, begin) in begins {
            let own = m.constant(u64::from(*digit), DIGIT);
            let place = match along.digits {
                Some(digits) => m.concat(&[digits, own]),
                None => own,
            };
            // What is behind the end of the list stands there from before.
            let is_there = m.ule(place, count);
            let is_before = m.ule(*begin, along.key);
            reached[*digit as usize - 1] = m.and(&[is_there, is_before]);
        }
        let [one, two, three] = reached[..] else {
            unreachable!("so many digits are there")
        };
        let not_two = m.not(two);
        let only_one = m.and(&[one, not_two]);
        let low = m.or(&[only_one, three]);
        m.concat(&[two, low])
    }

    /// What is found at the place, in the stage before A.
    fn found_at(&mut self, stage: u32, along: &Along, lists: &Lists) -> (Node, Node) {
        let shape = self.shape();
        let m = &mut self.m;
        m.section(format!("Stage R + {stage}: what is found there"));
        let place = along.digits.expect("there is a level");
        let (address_bits, word_bits) = (shape.address_bits(), 1 + self.entries.bits());
        let memory = memory(m, "found", word_bits, 2 << address_bits);
        let own = m.resize(place, address_bits);
        let address = m.concat(&[along.bank, own]);
        let one = m.one();
        let mut word = m.mem_read_sync(memory, address, one);
        let put = lists.put;
        let own = m.resize(put.place, address_bits);
        let address = m.concat(&[put.bank, own]);
        m.mem_write(memory, address, put.found, put.enable);
        let is_first = m.eq_const(place, 0);
        let mut is_first = m.delay("is_first", is_first);
        let first = m.mux(along.bank, lists.first[1], lists.first[0]);
        let mut first = m.delay("first_found", first);
        if self.config.registers {
            word = m.delay("found_word", word);
            is_first = m.delay("is_first_2", is_first);
            first = m.delay("first_found_2", first);
        }
        let word = m.mux(is_first, first, word);
        (
            m.bit(word, self.entries.bits()),
            m.slice(word, 0, self.entries.bits()),
        )
    }
}
