//! What a packet made of a program: which ways it took, and how close it came to taking others.
//!
//! The interpreter tells which blocks a run went through. In them every branch, compare, choice and access to a map is a
//! *probe*, and each probe can be seen in a few *manners*: a branch goes one way or the other, the sides of a compare are
//! equal, or differ by one up or down, in one byte alone, or first in that bit. What goes one way must be seen with every
//! fate that it can come to, because behind a packet that is dropped anyway nothing shows. A packet is worth keeping when it
//! shows a probe in a manner, or one way with a fate, that none before it did.

use hardpath_ir::interpreter::Prepared;
use hardpath_ir::{Op, Program, Terminator, Value};
use std::collections::HashSet;

/// The probes of a program.
pub struct Probes {
    /// By block, as a place in the program's order.
    blocks: Vec<Vec<Probe>>,
}

#[derive(Clone, Copy)]
struct Probe {
    number: u32,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Branch(Value),
    /// The sides and their width; whether only equality matters.
    Compare(Value, Value, u32, bool),
    /// The condition, and what is chosen from.
    Choice(Value, Value, Value),
    /// Whether the result is 0.
    Result(Value),
}

/// A probe in one of its manners.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Seen {
    probe: u32,
    manner: u8,
    /// What became of the packet, of the two ways of a branch or compare; `None`: whatever it was.
    fate: Option<u8>,
    pub is_branch: bool,
}

/// The sides of a compare in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides {
    pub left: u64,
    pub right: u64,
    /// In bytes, 1 to 8.
    pub bytes: u32,
}

impl Probes {
    pub fn of(program: &Program) -> Probes {
        let mut number = 0;
        let mut probe = |kind| {
            number += 1;
            Probe { number, kind }
        };
        let blocks = program.order.iter().map(|&block| {
            let data = &program.blocks[block];
            let mut probes = Vec::new();
            for &inst in &data.insts {
                let inst = &program.insts[inst];
                let argument = |index: usize| inst.args[index];
                let narrow = |value| program.width(value) <= 64;
                let kind = match inst.op {
                    Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                        let (left, right) = (argument(0), argument(1));
                        let of_equality = matches!(inst.op, Op::Eq | Op::Ne);
                        let width = program.width(left);
                        narrow(left).then_some(Kind::Compare(left, right, width, of_equality))
                    }
                    Op::Select => Some(Kind::Choice(argument(0), argument(1), argument(2))),
                    Op::MapLookup(_) | Op::MapUpdate(_) | Op::MapDelete(_) => {
                        Some(Kind::Result(inst.results[0]))
                    }
                    _ => None,
                };
                probes.extend(kind.map(&mut probe));
            }
            if let Terminator::Branch { cond, .. } = data.terminator {
                probes.push(probe(Kind::Branch(cond)));
            }
            probes
        });
        Probes {
            blocks: blocks.collect(),
        }
    }

    /// The branches of the program, each with two ways.
    pub fn branches(&self) -> usize {
        let probes = self.blocks.iter().flatten();
        probes
            .filter(|probe| matches!(probe.kind, Kind::Branch(_)))
            .count()
    }

    /// What the last run showed; `fate` is a number for what became of the packet.
    pub fn seen(&self, prepared: &Prepared, fate: u8) -> Vec<Seen> {
        let word = |value| prepared.low_word(value).unwrap_or(0);
        let mut all = Vec::new();
        for probe in self.of_run(prepared) {
            let manner = match probe.kind {
                Kind::Branch(condition) => Some(word(condition) as u8),
                Kind::Compare(left, right, width, of_equality) => {
                    Some(manner(word(left), word(right), width, of_equality))
                }
                Kind::Choice(condition, yes, no) => {
                    (word(yes) != word(no)).then_some(word(condition) as u8)
                }
                Kind::Result(value) => Some(u8::from(word(value) == 0)),
            };
            let Some(manner) = manner else {
                continue;
            };
            let seen = Seen {
                probe: probe.number,
                manner,
                fate: None,
                is_branch: matches!(probe.kind, Kind::Branch(_)),
            };
            all.push(seen);
            let way = match probe.kind {
                Kind::Compare(_, _, _, true) => u8::from(manner == EQUAL),
                Kind::Compare(left, right, ..) => u8::from(word(left) < word(right)),
                _ => manner,
            };
            all.push(Seen {
                manner: way,
                fate: Some(fate),
                is_branch: false,
                ..seen
            });
        }
        all
    }

    /// The sides of the last run's compares that were not yet seen equal, one up and one down.
    pub fn open_compares(&self, prepared: &Prepared, seen: &HashSet<Seen>) -> Vec<Sides> {
        let word = |value| prepared.low_word(value).unwrap_or(0);
        let compares = self.of_run(prepared).filter_map(|probe| match probe.kind {
            Kind::Compare(left, right, width, of_equality) => {
                let is_open = |manner| {
                    !seen.contains(&Seen {
                        probe: probe.number,
                        manner,
                        fate: None,
                        is_branch: false,
                    })
                };
                // An order has so many manners that it is never done.
                let open = !of_equality || (EQUAL..=BELOW).any(is_open);
                open.then(|| Sides {
                    left: word(left),
                    right: word(right),
                    bytes: width.div_ceil(8),
                })
            }
            _ => None,
        });
        compares.collect()
    }

    fn of_run<'a>(&'a self, prepared: &'a Prepared) -> impl Iterator<Item = Probe> + 'a {
        let way = prepared.way().iter();
        way.flat_map(|block| self.blocks[*block].iter().copied())
    }
}

/// The sides are the same; the left one is one above; one below.
const EQUAL: u8 = 0;
const ABOVE: u8 = 1;
const BELOW: u8 = 2;
/// Where only equality matters: they differ in several bytes; in that byte alone.
const FAR: u8 = 3;
const BYTE: u8 = 4;
/// Where the order matters: the highest bit in which they differ, and which one is lower.
const BIT: u8 = 16;

fn manner(left: u64, right: u64, width: u32, of_equality: bool) -> u8 {
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    let difference = left ^ right;
    match left.wrapping_sub(right) & mask {
        0 => EQUAL,
        1 => ABOVE,
        all if all == mask => BELOW,
        _ if !of_equality => {
            let highest = 63 - difference.leading_zeros();
            BIT + 2 * highest as u8 + u8::from(left < right)
        }
        _ => {
            let byte = difference.trailing_zeros() / 8;
            match difference & !(0xff << (byte * 8)) {
                0 => BYTE + byte as u8,
                _ => FAR,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manners_of_compares() {
        assert_eq!(manner(7, 7, 8, true), EQUAL);
        assert_eq!(manner(8, 7, 8, false), ABOVE);
        assert_eq!(manner(0, 255, 8, false), ABOVE, "around the end");
        assert_eq!(manner(6, 7, 64, true), BELOW);
        assert_eq!(manner(9, 7, 16, false), BIT + 6);
        assert_eq!(manner(7, 9, 16, false), BIT + 7);
        assert_eq!(manner(0x1200, 0x3400, 16, true), BYTE + 1);
        assert_eq!(manner(0x1256, 0x3478, 16, true), FAR);
    }
}
