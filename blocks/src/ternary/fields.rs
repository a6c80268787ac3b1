//! Where the fields are in a key, and which bits address which memory.

use super::{most_chunk_bits, PRIORITY_BITS};
use crate::matching;
use hardpath_rtl::{Module, Node};
use std::fmt;

/// How a field matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Match {
    /// All bits are equal.
    Exact,
    /// Some of the highest bits are equal, as many as the entry says.
    Prefix,
    /// The bits are equal that the entry says.
    Ternary,
    /// It is in a range; both ends are in it.
    Range,
}

/// A field in a key.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) kind: Match,
    /// Its lowest bit in the key.
    pub(super) first: u32,
    pub(super) bits: u32,
}

/// The fields of a key.
pub(super) struct Fields {
    /// From its lowest bit on.
    pub(super) all: Vec<Field>,
    /// Bits that address one memory.
    most_chunk_bits: u32,
}

/// Bits that address a memory.
pub(super) enum Chunk {
    /// These bits of the key, the lowest of the address first: no ranges.
    Bits(Vec<u32>),
    /// A narrow range.
    Range(Field),
}

impl Chunk {
    pub(super) fn bits(&self) -> u32 {
        match self {
            Chunk::Bits(places) => places.len() as u32,
            Chunk::Range(field) => field.bits,
        }
    }

    /// Its bits of a key.
    pub(super) fn of(&self, m: &mut Module, key: Node) -> Node {
        match self {
            Chunk::Bits(places) => {
                let bits: Vec<Node> = places.iter().rev().map(|at| m.bit(key, *at)).collect();
                m.concat(&bits)
            }
            Chunk::Range(field) => field.of(m, key),
        }
    }
}

impl Fields {
    pub(super) fn new(fields: &[(Match, u32)], entries: u32) -> Fields {
        let mut first = 0;
        let placed = fields.iter().map(|(kind, bits)| {
            let (kind, bits) = (*kind, *bits);
            first += bits;
            Field {
                kind,
                first: first - bits,
                bits,
            }
        });
        Fields {
            all: placed.collect(),
            most_chunk_bits: most_chunk_bits(entries),
        }
    }

    fn of_ranges(&self, is_range: bool) -> impl Iterator<Item = &Field> {
        let fields = self.all.iter();
        fields.filter(move |field| (field.kind == Match::Range) == is_range)
    }

    /// The ranges that are compared with the bounds in registers, with the number of each field.
    pub(super) fn wide_ranges(&self) -> impl Iterator<Item = (usize, &Field)> {
        let fields = self.all.iter().enumerate();
        fields.filter(move |(_, field)| {
            field.kind == Match::Range && field.bits > self.most_chunk_bits
        })
    }

    /// Those that address memories.
    pub(super) fn chunks(&self) -> Vec<Chunk> {
        let places: Vec<u32> = self
            .of_ranges(false)
            .flat_map(|field| field.first..field.first + field.bits)
            .collect();
        let of_bits = matching::chunks(places.len() as u32, self.most_chunk_bits).into_iter();
        let of_bits = of_bits.map(|(first, bits)| {
            let (first, bits) = (first as usize, bits as usize);
            Chunk::Bits(places[first..first + bits].to_vec())
        });
        let narrow = self.of_ranges(true);
        let narrow = narrow.filter(|field| field.bits <= self.most_chunk_bits);
        of_bits
            .chain(narrow.map(|field| Chunk::Range(*field)))
            .collect()
    }

    /// Bits that number the rows of the memory with the most.
    pub(super) fn row_bits(&self) -> u32 {
        self.chunks().iter().map(Chunk::bits).max().unwrap_or(1)
    }

    /// Bits of an entry in the memory of the keys, with one for its presence.
    pub(super) fn word_bits(&self) -> u32 {
        let all = self.all.iter().map(|field| match field.kind {
            Match::Exact => field.bits,
            _ => 2 * field.bits,
        });
        all.sum::<u32>() + PRIORITY_BITS + 1
    }

    /// What of a mask is stored, the highest bits first: exact fields need none.
    pub(super) fn stored_masks(&self, m: &mut Module, mask: Node) -> Vec<Node> {
        let stored = self.all.iter().rev();
        let stored = stored.filter(|field| field.kind != Match::Exact);
        stored.map(|field| field.of(m, mask)).collect()
    }

    /// The mask, of the word of an entry; its stored parts begin at bit `at`.
    pub(super) fn whole_mask(&self, m: &mut Module, word: Node, mut at: u32) -> Node {
        let mut parts = Vec::new();
        for field in &self.all {
            parts.push(match field.kind {
                Match::Exact => ones(m, field.bits),
                _ => {
                    at += field.bits;
                    m.slice(word, at - field.bits, field.bits)
                }
            });
        }
        parts.reverse();
        m.concat(&parts)
    }
}

impl Field {
    /// The field in a key or a mask.
    pub(super) fn of(&self, m: &mut Module, key: Node) -> Node {
        m.slice(key, self.first, self.bits)
    }
}

/// The mask of what must be equal altogether.
pub(super) fn ones(m: &mut Module, bits: u32) -> Node {
    let none = m.zero(bits);
    m.not(none)
}

/// For the header of the module.
impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (number, field) in self.all.iter().enumerate() {
            let kind = match field.kind {
                Match::Exact => "exact",
                Match::Prefix => "prefix",
                Match::Ternary => "ternary",
                Match::Range => "range",
            };
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{} bits {kind}", field.bits)?;
        }
        Ok(())
    }
}
