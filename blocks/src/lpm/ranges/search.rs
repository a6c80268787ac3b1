//! A lookup: level by level the place of the last begin that is not behind the key. What is found there stands in the rows of the last
//! level, by digit, so it is read beside the begins, and chosen when they are compared.

use super::{Lists, Shape, Table};
use crate::one_hot::encode;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Clocks of a lookup, from the stage of the key to that of the answer. `apart`: what is found is chosen behind the compare.
pub(in crate::lpm) fn clocks(shape: Shape, registers: bool, apart: bool) -> u32 {
    let of_level = |level| match shape.is_near(level) {
        true => 1,
        false => 2 + u32::from(registers),
    };
    let levels: u32 = (0..shape.levels()).map(of_level).sum();
    levels + u32::from(apart)
}

/// A memory that is read in the clock of a compare: UltraRAM would be too slow for that.
fn memory(m: &mut Module, name: String, (width, words): (u32, u32), is_near: bool) -> Mem {
    let style = match is_near {
        true => MemStyle::Distributed,
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

/// What a level compares.
struct Begins {
    /// By digit, from 1 on.
    begins: Vec<Node>,
    /// Of the last level, by digit, from 0 on.
    found: Vec<Node>,
}

impl Begins {
    fn later(&mut self, m: &mut Module, level: u32) {
        for (digit, begin) in (1..).zip(&mut self.begins) {
            *begin = m.delay(format!("begin_{level}_{digit}"), *begin);
        }
        for (digit, found) in self.found.iter_mut().enumerate() {
            *found = m.delay(format!("found_word_{digit}"), *found);
        }
    }
}

impl Table<'_> {
    /// Whether there is a prefix for a key in stage R, and its entry, in the stage before A. `apart`: as of [`clocks`].
    pub(super) fn search(&mut self, key: Node, lists: &Lists, apart: bool) -> (Node, Node) {
        let shape = self.shape();
        let mut along = Along {
            key,
            bank: lists.bank,
            digits: None,
        };
        let mut stage = 0;
        let mut found = None;
        for level in (0..shape.levels()).rev() {
            self.m
                .section(format!("Stage R + {stage}: level {level} of the search"));
            let mut begins = self.begins(level, &along, lists);
            if !shape.is_near(level) {
                stage += 1;
                along.later(&mut self.m, stage);
                if self.config.registers {
                    begins.later(&mut self.m, level);
                    stage += 1;
                    along.later(&mut self.m, stage);
                }
            }
            let reached = self.reached(level, &begins, &along, lists);
            if level == 0 {
                found = Some(self.found_at(&reached, &begins, &along, (lists, apart)));
                break;
            }
            let m = &mut self.m;
            let last = last_reached(m, &reached);
            let digit = encode(m, &last);
            let digit = m.resize(digit, shape.digit_bits(level));
            along.digits = Some(match along.digits {
                Some(digits) => m.concat(&[digits, digit]),
                None => digit,
            });
            stage += 1;
            along.later(m, stage);
        }
        found.expect("there is a last level")
    }

    /// The memories of a level, read; the pass writes them.
    fn begins(&mut self, level: u32, along: &Along, lists: &Lists) -> Begins {
        let shape = self.shape();
        let (data_bits, found_bits) = (shape.data_bits, 1 + self.entries.bits());
        let digits: Vec<u32> = shape.digits(level).collect();
        let begins = digits.iter().map(|digit| {
            let own = (level, *digit);
            self.read(("begins", data_bits), own, along, (lists, lists.put.begin))
        });
        let begins = begins.collect();
        let mut found = Vec::new();
        if level == 0 {
            for digit in [0].into_iter().chain(digits) {
                let put = (lists, lists.put.found);
                found.push(self.read(("found", found_bits), (level, digit), along, put));
            }
        }
        Begins { begins, found }
    }

    /// A memory of a level with what stands at places with this digit, and zeros behind it.
    fn read(
        &mut self,
        (what, width): (&str, u32),
        (level, digit): (u32, u32),
        along: &Along,
        (lists, word): (&Lists, Node),
    ) -> Node {
        let shape = self.shape();
        let m = &mut self.m;
        let row_bits = shape.row_bits(level, digit);
        let is_near = shape.is_near(level);
        let name = format!("{what}_{level}_{digit}");
        let memory = memory(m, name, (width, 2 << row_bits), is_near);
        let address = match along.digits.filter(|_| row_bits > 0) {
            Some(digits) => {
                let row = m.resize(digits, row_bits);
                m.concat(&[along.bank, row])
            }
            None => along.bank,
        };
        let one = m.one();
        let read = match is_near {
            true => m.mem_read_async(memory, address),
            false => m.mem_read_sync(memory, address, one),
        };
        let put = lists.put;
        let (behind, above) = (shape.bits_behind(level), shape.bits_behind(level + 1));
        let own = m.slice(put.place, behind, above - behind);
        let mut here = vec![put.enable, m.eq_const(own, u64::from(digit))];
        if level > 0 {
            let behind = m.slice(put.place, 0, behind);
            here.push(m.eq_const(behind, 0));
        }
        let enable = m.and(&here);
        let address = match row_bits {
            0 => put.bank,
            _ => {
                let row = m.slice(put.place, above, shape.place_bits() - above);
                let row = m.resize(row, row_bits);
                m.concat(&[put.bank, row])
            }
        };
        m.mem_write(memory, address, word, enable);
        read
    }

    /// By digit, from 1 on: the range that begins there is there, and not behind the key. Begins stand in order, so the last one of these
    /// is the digit.
    fn reached(&mut self, level: u32, begins: &Begins, along: &Along, lists: &Lists) -> Vec<Node> {
        let shape = self.shape();
        let m = &mut self.m;
        let count = m.mux(along.bank, lists.counts[1], lists.counts[0]);
        let (behind, above) = (shape.bits_behind(level), shape.bits_behind(level + 1));
        let last_digit = m.slice(count, behind, above - behind);
        // What is behind the end of the list stands there from before: a search that has come as far as the end so far goes no further.
        let at_end = along.digits.map(|digits| {
            let of_count = m.slice(count, above, shape.place_bits() - above);
            m.eq(digits, of_count)
        });
        let mut reached = Vec::new();
        for (digit, begin) in (1..).zip(&begins.begins) {
            let own = m.constant(digit, above - behind);
            let is_there = m.ule(own, last_digit);
            let is_there = match at_end {
                Some(at_end) => {
                    let before_end = m.not(at_end);
                    m.or(&[before_end, is_there])
                }
                None => is_there,
            };
            let is_before = m.ule(*begin, along.key);
            reached.push(m.and(&[is_there, is_before]));
        }
        reached
    }

    /// What is found at the digit of the last level, in the stage before A.
    fn found_at(
        &mut self,
        reached: &[Node],
        begins: &Begins,
        along: &Along,
        (lists, apart): (&Lists, bool),
    ) -> (Node, Node) {
        let entry_bits = self.entries.bits();
        let m = &mut self.m;
        let mut last = last_reached(m, reached);
        let mut words = begins.found.clone();
        // The list begins with what is found in front of its first range.
        let first = m.mux(along.bank, lists.first[1], lists.first[0]);
        words[0] = match along.digits {
            Some(digits) => {
                let is_first = m.eq_const(digits, 0);
                m.mux(is_first, first, words[0])
            }
            None => first,
        };
        if apart {
            m.section("What is found there");
            for (digit, (last, word)) in last.iter_mut().zip(&mut words).enumerate() {
                *last = m.delay(format!("is_digit_{digit}"), *last);
                *word = m.delay(format!("found_apart_{digit}"), *word);
            }
        }
        let gated = last.iter().zip(&words);
        let gated: Vec<Node> = gated
            .map(|(is_last, word)| m.gate(*is_last, *word))
            .collect();
        let word = m.or(&gated);
        (m.bit(word, entry_bits), m.slice(word, 0, entry_bits))
    }
}

/// Of digits, from 1 on, that are reached up to one of them: which it is, from 0 on.
fn last_reached(m: &mut Module, reached: &[Node]) -> Vec<Node> {
    let one = m.one();
    let from = [one].into_iter().chain(reached.iter().copied());
    let next = reached.iter().copied().map(Some).chain([None]);
    from.zip(next)
        .map(|(reached, next)| match next {
            Some(next) => {
                let ends = m.not(next);
                m.and(&[reached, ends])
            }
            None => reached,
        })
        .collect()
}
