//! The hash functions.
//!
//! A key is digested by functions that are linear over GF(2) with fixed random matrices (H3: Carter and Wegman,
//! "Universal classes of hash functions"): a tree of XORs for each bit. Linear functions alone would fill badly with
//! keys that count up: in about one such set of keys in a hundred a function maps them to half of its buckets, and
//! hundreds find no room. So each way's digest is joined with an AND of two other ways' digests, which breaks the
//! symmetry: structured keys then fill like random ones.
//!
//! A wide key is folded first: each of its bits is added to three of 64, never to the same three as another, and these are digested. That
//! is linear, too, and takes half of the logic.

use super::{Hash, WAYS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// A packet's key, and the host's.
    pub struct HashFunctionIn {
        key: one "the packet's key",
        /// Of the first port.
        host: some HashFunctionHostIn,
    }
}

signals! {
    /// The host's key, or the slot that it dumps.
    pub struct HashFunctionHostIn {
        host: one "the host's key is meant",
        /// The host's key.
        host_key: one "",
        host_dump: one "the host means a slot, not a key",
        /// The slot that the host dumps.
        host_slot: one "",
    }
}

signals! {
    /// The key that is meant, and its buckets.
    pub struct HashFunctionOut {
        key_out: one "the key that is looked up",
        rows: one "the bucket in each way, way 0 in the low bits",
    }
}

/// Keys of more bits are folded.
pub const WIDE_KEY: u32 = 128;
/// Bits of a folded key.
const FOLDED: u32 = 64;

/// What the hash functions of a table must know.
#[derive(Clone, Copy)]
pub struct Functions<'a> {
    /// What the map is called, for the header.
    pub map: &'a str,
    /// Bits of a key as it is stored.
    pub key_bits: u32,
    /// Ways of the table: at least three.
    pub ways: u32,
    /// Bits that number a way's buckets.
    pub row_bits: u32,
    /// Bits of the slot that the host dumps, the bucket in its lowest ones.
    pub slot_bits: u32,
}

/// The hash functions in front of a port of a table as a module without state. The host's key goes through the first port.
pub fn hash_function(
    name: &str,
    config: Functions,
    port: usize,
) -> Block<HashFunctionIn, HashFunctionOut> {
    let (row_bits, ways) = (config.row_bits, config.ways);
    let mut m = Module::new(
        name,
        format!(
            "Hash functions of map {}: key to one of {} buckets in each of {ways} ways.\n\
             Each bit of a digest is the parity of about a quarter of the key's bits (H3, fixed random matrices); a way's\n\
             bucket is its digest, XORed with the AND of the next two ways' digests.",
            config.map,
            1u64 << row_bits
        ),
    );
    let inputs = m.inputs(HashFunctionIn {
        key: config.key_bits,
        host: (port == 0).then_some(HashFunctionHostIn {
            host: 1,
            host_key: config.key_bits,
            host_dump: 1,
            host_slot: config.slot_bits,
        }),
    });
    let chosen = match &inputs.host {
        Some(asked) => {
            let chosen = m.mux(asked.host, asked.host_key, inputs.key);
            m.name(chosen, "chosen")
        }
        None => inputs.key,
    };
    let dump = inputs.host.as_ref().map(|asked| {
        let slot_row = m.slice(asked.host_slot, 0, row_bits);
        (m.and(&[asked.host, asked.host_dump]), slot_row)
    });
    let digested = folded(&mut m, chosen);
    let digests = digests(&mut m, digested, (ways, row_bits));
    let rows = rows(&mut m, &digests, dump);
    let outputs = HashFunctionOut {
        key_out: chosen,
        rows,
    };
    m.into_block(inputs, outputs)
}

/// The places of a folded key that each bit of a wide one is added to.
fn folds(key_bits: u32) -> Vec<[u32; 3]> {
    let mut seed = u64::from(key_bits);
    let mut seen = std::collections::BTreeSet::new();
    let mut all = Vec::new();
    while all.len() < key_bits as usize {
        let mut places = [0; 3].map(|_: u32| (splitmix(&mut seed) % u64::from(FOLDED)) as u32);
        places.sort_unstable();
        let differ = places[0] < places[1] && places[1] < places[2];
        if differ && seen.insert(places) {
            all.push(places);
        }
    }
    all
}

/// What is digested of a key: all of it, or what a wide one is folded to.
fn folded(m: &mut Module, key: Node) -> Node {
    let key_bits = m.width(key);
    if key_bits <= WIDE_KEY {
        return key;
    }
    let folds = folds(key_bits);
    let bits = (0..FOLDED).rev().map(|place| {
        let added = (0..key_bits).filter(|bit| folds[*bit as usize].contains(&place));
        let added: Vec<Node> = added.map(|bit| m.bit(key, bit)).collect();
        match added.is_empty() {
            true => m.zero(1),
            false => {
                let added = m.concat(&added);
                m.reduce_xor(added)
            }
        }
    });
    let bits: Vec<Node> = bits.collect();
    let folded = m.concat(&bits);
    m.name(folded, "folded")
}

/// The linear part: each way's digest of a key.
fn digests(m: &mut Module, chosen: Node, (ways, row_bits): (u32, u32)) -> Vec<Node> {
    let key_bits = m.width(chosen);
    let mut digests = Vec::new();
    for way in 0..ways {
        let columns: Vec<u64> = (0..key_bits)
            .map(|key_bit| matrix_column(way, key_bit, row_bits))
            .collect();
        let mut bits = Vec::new();
        for bit in 0..row_bits {
            let mut mask = vec![0; key_bits.div_ceil(64) as usize];
            for (key_bit, column) in columns.iter().enumerate() {
                mask[key_bit / 64] |= (column >> bit & 1) << (key_bit % 64);
            }
            let mask = m.constant_limbs(&mask, key_bits);
            let terms = m.and(&[chosen, mask]);
            // A short key can have all bits or none in the mask: `terms` is `chosen` or 0 then, which keeps its name.
            let terms = m.alias(terms, format!("terms_{way}_{bit}"));
            bits.push(m.reduce_xor(terms));
        }
        bits.reverse();
        let digest = m.concat(&bits);
        digests.push(m.name(digest, format!("digest_{way}")));
    }
    digests
}

/// Joins the digests, or says the bucket of the slot that is dumped: all ways' in one word. `dump`: whether one is, and its bucket.
fn rows(m: &mut Module, digests: &[Node], dump: Option<(Node, Node)>) -> Node {
    let (row_bits, ways) = (m.width(digests[0]), digests.len());
    let mut rows = Vec::new();
    for way in 0..ways {
        let (next, after) = (digests[(way + 1) % ways], digests[(way + 2) % ways]);
        let (high, low) = (
            m.slice(after, row_bits - 1, 1),
            m.slice(after, 0, row_bits - 1),
        );
        let rotated = m.concat(&[low, high]);
        let both = m.and(&[next, rotated]);
        let row = m.xor(&[digests[way], both]);
        m.name(row, format!("hash_{way}"));
        rows.push(match dump {
            Some((dumps, slot_row)) => m.mux(dumps, slot_row, row),
            None => row,
        });
    }
    rows.reverse();
    m.concat(&rows)
}

/// The bucket of a key in each way, in software. The key's bits above `key_bits` are 0.
pub fn buckets(key: &[u64], key_bits: u32, max_entries: u32) -> [u64; WAYS as usize] {
    buckets_of(key, key_bits, Hash::row_bits(max_entries))
}

/// The same of a table of other ways or rows.
pub(crate) fn buckets_of<const N: usize>(key: &[u64], key_bits: u32, row_bits: u32) -> [u64; N] {
    let mut digests = [0; N];
    let columns = Columns::new(key_bits, row_bits);
    for bit in (0..key_bits).filter(|bit| key[*bit as usize / 64] >> (bit % 64) & 1 == 1) {
        for (way, digest) in digests.iter_mut().enumerate() {
            *digest ^= columns.of(way as u32, bit);
        }
    }
    std::array::from_fn(|way| {
        let (next, after) = (digests[(way + 1) % N], digests[(way + 2) % N]);
        let rotated = after << 1 & ((1 << row_bits) - 1) | after >> (row_bits - 1);
        digests[way] ^ next & rotated
    })
}

/// What the bits of a key add to digests.
pub struct Columns {
    row_bits: u32,
    /// Of a wide key.
    folds: Option<Vec<[u32; 3]>>,
}

impl Columns {
    /// For keys and rows of so many bits.
    pub fn new(key_bits: u32, row_bits: u32) -> Columns {
        Columns {
            row_bits,
            folds: (key_bits > WIDE_KEY).then(|| folds(key_bits)),
        }
    }

    /// What a bit adds to a way's digest.
    pub fn of(&self, way: u32, key_bit: u32) -> u64 {
        match &self.folds {
            Some(folds) => (folds[key_bit as usize].iter())
                .map(|place| matrix_column(way, *place, self.row_bits))
                .fold(0, |all, one| all ^ one),
            None => matrix_column(way, key_bit, self.row_bits),
        }
    }
}

/// What a bit of the key adds to a way's digest: random, never 0. A quarter of the bits are ones, half of what is usual, so the trees
/// of XORs are half as large; tables fill as well as with dense columns (`capacity_in_figures` in `tests/suite/capacity.rs`).
pub(crate) fn matrix_column(way: u32, key_bit: u32, row_bits: u32) -> u64 {
    let mut seed = (u64::from(way) << 32 | u64::from(key_bit)).wrapping_add(0x9e37_79b9);
    loop {
        let column = splitmix(&mut seed) & splitmix(&mut seed) & (u64::MAX >> (64 - row_bits));
        if column != 0 {
            return column;
        }
    }
}

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
fn splitmix(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
