//! A dump: the host means a slot, not a key.
//!
//! The host's registers stand still long before its operation arrives: what follows from them alone has registers of its
//! own. Those that select the bits of a key stand once for each part of it, so that wide keys do not load them more.

use super::outcome::Outcome;
use super::places::decode;
use super::{Hash, HashHostIn, SLOTS, WAYS};
use crate::index_bits;
use crate::interface::command::DUMP;
use hardpath_rtl::{Module, Node};

/// Most bits of a key that one register selects. A tool may take two LUTs for each.
const PART_BITS: u32 = 96;

pub(super) struct Dump {
    /// The host's command is one.
    pub(super) is_meant: Node,
    /// That of the slot.
    pub(super) place: Node,
    /// By place, for each part of a key: it is that of the slot.
    at: Vec<Vec<Node>>,
    /// The table has the slot.
    pub(super) in_range: Node,
    /// For each part of a key: it comes, in the stage of the compare.
    comes: Vec<Node>,
    key_bits: u32,
    /// The key that was found last, from a register.
    pub(super) key: Option<Node>,
}

impl Dump {
    pub(super) fn new(m: &mut Module, config: &Hash, host: &HashHostIn) -> Dump {
        let row_bits = Hash::row_bits(config.max_entries);
        let entry_bits = Hash::entry_bits(config.max_entries);
        let place_bits = index_bits(u64::from(WAYS * SLOTS));
        let is_dump = m.eq_const(host.host_command, u64::from(DUMP));
        let is_meant = m.delay("host_dumps", is_dump);
        let place = m.slice(host.host_slot, row_bits, place_bits);
        let places = decode(m, place).into_iter().enumerate();
        let at = places
            .map(|(place, here)| in_parts(m, &format!("dump_at_{place}"), here, config.key_bits));
        let at = at.collect();
        let place = m.delay("dump_place", place);
        let high = m.slice(host.host_slot, entry_bits, 32 - entry_bits);
        let beyond = m.reduce_or(high);
        let inside = m.not(beyond);
        Dump {
            is_meant,
            place,
            at,
            in_range: m.delay("host_slot_exists", inside),
            comes: Vec::new(),
            key_bits: config.key_bits,
            key: None,
        }
    }

    /// The clock before the compare. `host`: the slot is the host's.
    pub(super) fn come(&mut self, m: &mut Module, host: Node) {
        let comes = m.and(&[host, self.is_meant]);
        self.comes = in_parts(m, "dumps", comes, self.key_bits);
    }

    /// The slot that is meant is found when it is taken, and its key is kept. `outcome`: that of a lookup.
    pub(super) fn read(&mut self, m: &mut Module, words: &[Node], outcome: &mut Outcome) {
        let parts = 0..self.comes.len();
        let mut key: Vec<Node> = parts.map(|part| self.keep_part(m, words, part)).collect();
        key.reverse();
        self.key = Some(m.concat(&key));
        let taken = words.iter().zip(&self.at).map(|(word, at)| {
            let taken = m.bit(*word, self.key_bits);
            m.and(&[at[0], taken])
        });
        let taken: Vec<Node> = taken.collect();
        let some = m.or(&taken);
        let exists = m.and(&[some, self.in_range]);
        m.name(exists, "slot_is_taken");
        outcome.or_place(m, self.comes[0], (exists, self.place));
    }

    /// A part of the key, from a register.
    fn keep_part(&self, m: &mut Module, words: &[Node], part: usize) -> Node {
        let first = part as u32 * PART_BITS;
        let bits = PART_BITS.min(self.key_bits - first);
        let stored = words.iter().zip(&self.at).map(|(word, at)| {
            let stored = m.slice(*word, first, bits);
            m.gate(at[part], stored)
        });
        let stored: Vec<Node> = stored.collect();
        let key = m.or(&stored);
        let name = match self.comes.len() {
            1 => "host_key_reg".to_string(),
            _ => format!("host_key_reg_{part}"),
        };
        m.hold(name, self.comes[part], key)
    }
}

/// A register for each part of a key.
fn in_parts(m: &mut Module, name: &str, next: Node, key_bits: u32) -> Vec<Node> {
    match key_bits.div_ceil(PART_BITS) {
        1 => vec![m.delay(name, next)],
        parts => m.delay_copies(name, next, parts as usize),
    }
}

/// Of the empty places behind each other from the dumped one on the last one. `taken`: by place.
pub(crate) fn last_empty(m: &mut Module, dumped: Node, taken: &[Node]) -> Node {
    let bits = m.width(dumped);
    let mut last = m.constant(taken.len() as u64 - 1, bits);
    for (place, taken) in taken.iter().enumerate().skip(1).rev() {
        let number = m.constant(place as u64, bits);
        let is_behind = m.ult(dumped, number);
        let stops = m.and(&[*taken, is_behind]);
        let before = m.constant(place as u64 - 1, bits);
        last = m.mux(stops, before, last);
    }
    m.name(last, "last_empty_place")
}
