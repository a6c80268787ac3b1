//! Exact keys that only the host writes: cuckoo hashing, with the values beside the keys.
//!
//! A key may lie in one row of each of three ways. A new one whose rows are all taken takes the place of one of them, which goes to the
//! *stash* in the same clock, and from there to another of its own rows, and so on, until one finds a free row (Pagh and Rodler, "Cuckoo
//! hashing"; Kirsch, Mitzenmacher and Wieder, "More robust hashing: cuckoo hashing with a stash"). Lookups compare the stash, too, so no
//! key is ever absent, and the rows can be three quarters full where those of [`crate::hash`], which never move a key, can be three
//! eighths full.
//!
//! The host's operation takes a slot among the packets, and one more for each key that moves: it answers [`AGAIN`], and the host port lets
//! it come again ([`crate::host`]); the slot then means the key in the stash. A walk that does not end in [`MOST_MOVES`] leaves its key in
//! the stash, where it is found as everywhere; the next new key is refused until a delete makes room, and the delete goes on with
//! the walk. `blocks/tests/suite/cuckoo.rs` counts the moves.
//!
//! Values are read together with keys, so a lookup's value is there as early as its answer.

mod commit;
mod lookup;
mod ports;

pub use crate::answer::AGAIN;
pub use ports::{CuckooHostIn, CuckooIn, CuckooOut, CuckooSlotIn};

use crate::hash::{buckets_of, Functions};
use crate::index_bits;
use commit::Commit;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Mem, Module, Node};
use lookup::{Found, Memories};

/// Ways of a table.
pub const WAYS: u32 = 3;
/// Places of a row: one in each way, and the stash, which has one row.
const PLACES: u32 = WAYS + 1;
/// Bits that number the places.
const PLACE_BITS: u32 = 2;
/// From so many rows of a way on three in four of all rows are taken at most, below half of them: of few rows many keys can have the same
/// ones, and a block RAM has so many anyway.
const MANY_ROWS: u32 = 512;
/// Rows of a way at least: a few keys in fewer could have all their rows in common.
const FEWEST_ROWS: u32 = 32;
/// Keys that one operation moves at most.
pub const MOST_MOVES: u32 = 255;

/// What a table must know.
pub struct Cuckoo {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Bits of a key.
    pub key_bits: u32,
    /// Bits of a value.
    pub value_bits: u32,
    /// The most keys that it holds.
    pub max_entries: u32,
    /// What is read from the memories stands in registers before it is compared: a clock more, where memories are slow.
    pub registers: bool,
}

impl Cuckoo {
    /// Clocks from the stage in which a key stands in a register to the one in which answer and value do.
    pub fn answer_clocks(registers: bool) -> u32 {
        2 + u32::from(registers)
    }

    /// Rows of a way: a power of two.
    pub fn rows(max_entries: u32) -> u32 {
        let rows = |share: u64, of: u64| {
            let rows = (u64::from(max_entries) * of).div_ceil(u64::from(WAYS) * share);
            (rows as u32).next_power_of_two()
        };
        match rows(1, 2) {
            few if few < MANY_ROWS => few.max(FEWEST_ROWS),
            _ => rows(3, 4).max(MANY_ROWS),
        }
    }

    /// Bits that number a way's rows.
    pub fn row_bits(max_entries: u32) -> u32 {
        index_bits(u64::from(Cuckoo::rows(max_entries)))
    }

    /// Slots: four for each row, the last one of which is the stash, of row 0.
    pub fn slots(max_entries: u32) -> u32 {
        Cuckoo::rows(max_entries) * PLACES
    }

    /// Bits of an entry's number: the place, and behind it the row.
    pub fn entry_bits(max_entries: u32) -> u32 {
        Cuckoo::row_bits(max_entries) + PLACE_BITS
    }

    /// The memories of the keys, in the order of the entries.
    pub fn key_memories() -> Vec<String> {
        (0..PLACES).map(|place| format!("keys_{place}")).collect()
    }

    /// The memories of the values, in the order of the entries.
    pub fn value_memories() -> Vec<String> {
        (0..PLACES).map(|place| format!("values_{place}")).collect()
    }

    /// The row of a key in each way, in software. The key's bits above `key_bits` are 0.
    pub fn rows_of(key: &[u64], key_bits: u32, max_entries: u32) -> [u64; WAYS as usize] {
        buckets_of(key, key_bits, Cuckoo::row_bits(max_entries))
    }

    /// The hash functions in front of it.
    pub fn functions(&self) -> Functions<'_> {
        Functions {
            map: &self.map,
            key_bits: self.key_bits,
            ways: WAYS,
            row_bits: Cuckoo::row_bits(self.max_entries),
            slot_bits: Cuckoo::row_bits(self.max_entries),
        }
    }

    fn header(&self) -> String {
        let answer_clocks = Cuckoo::answer_clocks(self.registers);
        format!(
            "Keys and values of map {}: {WAYS} ways x {} rows and a stash of one, for {} x {} and {} bits.\n\
             Lookup: key and rows belong to stage R, hit and value stand in registers in stage A = R + {answer_clocks}.\n\
             The host's operation takes effect in stage A; a new key without a free row sends another one to the stash,\n\
             which is moved by the host slots that follow.",
            self.map,
            Cuckoo::rows(self.max_entries),
            self.max_entries,
            self.key_bits,
            self.value_bits
        )
    }
}

/// A key that is moved.
#[derive(Clone, Copy)]
struct Stash {
    /// Whether there is one.
    exists: Node,
    key: Node,
    value: Node,
    memories: (Mem, Mem),
}

/// The table; its stages are in [`ports`].
///
/// No packet may stand in the three slots behind one of the host.
pub fn cuckoo(config: &Cuckoo) -> Block<CuckooIn, CuckooOut> {
    let mut m = Module::new(config.name.clone(), config.header());
    let inputs = m.inputs(CuckooIn::widths(config));
    let stash = Stash::read(&mut m, config);
    m.section("What the host means");
    let (walking_reg, walking) = m.reg_reset("walking", 1, 0);
    let key_meant = m.mux(walking, stash.key, inputs.host.host_key);
    let value_meant = m.mux(walking, stash.value, inputs.host.host_value);
    m.name(key_meant, "key_meant");
    let memories = Memories::new(&mut m, config);
    let found = Found::of(
        &mut m,
        config,
        &memories,
        (&inputs.slot, &inputs.host),
        &stash,
    );
    let commit = Commit {
        config,
        host: &inputs.host,
        found: &found,
        stash,
        walking: (walking_reg, walking),
        value_meant,
    };
    let outputs = commit.outputs(&mut m, &memories, key_meant);
    m.into_block(inputs, outputs)
}
