//! Tables whose keys have several fields, each of which matches in its own way: one lookup a clock, and of the
//! entries that match the one of highest priority wins, of several the one of the lowest number.
//!
//! Match and choice are those of `matching`, with all that the host does. The bits of exact, prefix and ternary fields stand
//! together in chunks of at most five bits, or with many entries nine, a narrow range is a chunk of its own, and of a wide one each entry
//! holds the bounds in registers, which the key is compared with while the memories are read.
//!
//! **Choice.** Entries have 32 bits of priority, but a packet only needs their order. More than 64 entries have [`places`] in that order, if no
//! range is wide. Else each holds its *rank*, how many entries
//! it goes before: a new entry takes its rank, those that go before it get one more, and one less when it is gone. All ranks
//! change with the valid bits in the clock of the host's slot. What goes before the host's entry is found out in the scan. Bits of ranks that
//! are looked at late are delayed so far that a packet in front of the slot still meets those from before.
//!
//! Where entries share few masks, each mask can be a hash table instead ([`masks`]).
//!
//! **Measured** with yosys for UltraScale+. 64 entries of 32 and 32 bits ternary, a range of 16 and 8 bits exact take 5870 LUTs,
//! 5570 flip-flops and no block RAM, at five levels (with `registers` 6590 flip-flops). Of this are, or would be:
//!
//! | | LUTs | flip-flops | block RAMs | |
//! |---|--:|--:|--:|---|
//! | chunks of five bits in LUT RAM | 2100 | 1920 | | a new entry is ready within 150 clocks |
//! | chunks of nine bits in block RAM | 510 | | 16 | 1.2 % of the block RAMs of a U50 for 0.2 % of its LUTs; 1100 clocks |
//! | choice by ranks | 1150 | 780 | | in 3 clocks |
//! | by a matrix of who goes before whom | 5000 | 2300 | | in 1 |
//! | by the bits of the priorities | 5100 | 3200 | | in 16 |
//! | the range by comparators | 1700 | 2300 | | |
//! | by chunks whose words say more of each entry | 1800 | 1700 | | estimated: 13 bits an entry in 4 chunks |
//!
//! Entries have ranks in tables of at most 64, whatever the fields are, and beside a range of more than 9 bits in those of at most 1,024. For
//! the larger ones it is estimated, of 104 bits ternary without the bounds of the range: 128 entries take 5,700 LUTs, 2,700 flip-flops and 52 block
//! RAMs, 1,024 take 53,600, 26,300 and 355. Without such a range they have [`places`], which take far less logic.

mod asked;
mod fields;
mod masks;
mod places;
mod prepare;
mod ranges;
mod ranks;
mod rows;

pub use fields::Match;
pub use masks::PRIORITIES as PRIORITIES_OF_MASKS;

use crate::index_bits;
use crate::matching::answer::Answered;
use crate::matching::entries::{changes, Entries};
use crate::may::May;
use asked::Entry;
use fields::Fields;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};
use prepare::Prepared;

signals! {
    /// Into a table. Stage R is the one in which `key` stands in registers; A = R + [`Ternary::clocks`].
    pub struct TernaryIn {
        slot: all TernarySlotIn,
        host: all TernaryHostIn,
    }
}

signals! {
    /// What passes the table: packets, and in their place the host.
    pub struct TernarySlotIn {
        /// The host's, in its slot.
        key: one "stage R; the first field in the lowest bits",
        host_r: one "stage R: this slot is a host operation on this map",
    }
}

signals! {
    /// The host's registers, and the sweep. From `start` on the registers stand still until the operation is over.
    pub struct TernaryHostIn {
        clear: one "the sweep after reset",
        /// The word that the sweep clears.
        clear_index: one "",
        start: one "a host command for this map begins",
        host_command: one "stands still from then on",
        /// What an update may do ([`May`]).
        host_may: one "",
        /// The entry that a dump reads.
        host_slot: one "",
        host_key: one "values; of a range the lowest",
        host_mask: one "ternary and prefix: bits that count are 1; of a range the highest value; of an exact field nothing",
        host_priority: one "the larger one wins",
    }
}

signals! {
    /// Out of a table.
    pub struct TernaryOut {
        /// From this clock to the next `start`.
        prepared: one "the host's slot may come",
        hit: one "stage A",
        /// For the host's update, delete and dump the entry that is meant.
        entry: one "stage A",
        host_c: one "stage A: this slot is the host's",
        write_value: one "stage A: the value of entry is to be written",
        host_answer: one "a clock after stage A",
        host_slot_out: one "likewise: the entry that it is of",
        host_key_out: one "the entry that a dump found; bits that do not count are 0",
        host_mask_out: one "of an exact field all are 1",
        /// The priority of the entry that a dump found.
        host_priority_out: one "",
    }
}

/// What a table must know.
pub struct Ternary {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// How each field matches, and its bits, at least one; the first field is in the lowest bits of the key.
    pub fields: Vec<(Match, u32)>,
    /// At most [`Ternary::most_entries`].
    pub entries: u32,
    /// All entries together have at most so many masks, at most [`Ternary::MOST_MASKS`], and each becomes a hash table. A priority then is
    /// one of [`PRIORITIES_OF_MASKS`], and no field is a range. `None`: any masks.
    pub masks: Option<u32>,
    /// What is read from the memories stands in registers before it is joined: a clock more, where memories are slow.
    pub registers: bool,
}

/// Bits of a priority.
pub const PRIORITY_BITS: u32 = 32;

/// So many entries have their rows in LUT RAM.
const MOST_IN_LUT_RAM: u32 = 64;

/// A chunk has at most this many bits: block RAM has 512 rows where its words are widest.
const MOST_CHUNK_BITS: u32 = 9;

/// The same for so many entries: LUT RAM has 32 rows where its words are widest.
fn most_chunk_bits(entries: u32) -> u32 {
    match entries <= MOST_IN_LUT_RAM {
        true => 5,
        false => MOST_CHUNK_BITS,
    }
}

/// Bits of the ranks that the choice looks at in one clock.
const RANK_BITS_A_CLOCK: u32 = 2;
/// Clocks of the choice in which no packet meets the host's change: see [`ternary`].
const UNDISTURBED: u32 = 3;

impl Ternary {
    /// With wide ranges each entry is some 70 LUTs, where it has a rank and bounds: more are no table of logic any more.
    const MOST_RANKED: u32 = 1024;
    /// So many places make a row that one clock can choose from.
    const MOST_PLACED: u32 = 4096;

    /// The most masks that a table can have whose masks are hash tables.
    pub const MOST_MASKS: u32 = 16;

    /// The most entries that a table with such fields can have.
    pub fn most_entries(&self) -> u32 {
        match self.masks {
            Some(_) => masks::MOST_ENTRIES,
            None if has_wide_range(&self.fields) => Ternary::MOST_RANKED,
            None => Ternary::MOST_PLACED,
        }
    }

    /// Whether the places of entries are their priorities; else entries have ranks, or their masks are hash tables.
    fn has_places(&self) -> bool {
        self.masks.is_none() && !self.in_lut_ram() && !has_wide_range(&self.fields)
    }

    /// Whether the rows of so many entries stand in LUT RAM; else in block RAM.
    pub fn in_lut_ram(&self) -> bool {
        match self.masks {
            Some(_) => masks::in_lut_ram(self.entries),
            None => self.entries <= MOST_IN_LUT_RAM,
        }
    }

    /// Bits of a key.
    pub fn key_bits(&self) -> u32 {
        self.fields.iter().map(|(_, bits)| bits).sum()
    }

    /// Bits that number the entries, and those of a rank.
    pub fn entry_bits(&self) -> u32 {
        index_bits(u64::from(self.entries))
    }

    /// Clocks from the stage of the key, R, to that of the answer.
    pub fn clocks(&self) -> u32 {
        if let Some(masks) = self.masks {
            return masks::clocks(masks, self.registers);
        }
        if self.has_places() {
            let chunks = Fields::new(&self.fields, self.entries).chunks().len();
            return places::clocks(self.registers, chunks);
        }
        let choice = self.entry_bits().div_ceil(RANK_BITS_A_CLOCK);
        2 + u32::from(self.registers) + choice + 1
    }

    /// Words that are joined for a lookup, each with a bit for each entry: those of the chunks, of wide ranges, of the valid
    /// entries. With masks it is the key that is compared, six bits at once.
    pub fn words(&self) -> u32 {
        if self.masks.is_some() {
            return self.key_bits().div_ceil(3);
        }
        let fields = Fields::new(&self.fields, self.entries);
        (fields.chunks().len() + fields.wide_ranges().count() + 1) as u32
    }

    /// Clocks that preparing an operation of the host may take; with places most take as many as there are entries, and some 600, with
    /// masks two or three times as many as there are entries.
    pub fn prepare_clocks(&self) -> u32 {
        if let Some(masks) = self.masks {
            return masks::prepare_clocks(masks, self.entries);
        }
        let row_bits = Fields::new(&self.fields, self.entries).row_bits();
        if self.has_places() {
            return places::prepare_clocks(self.entries, row_bits);
        }
        self.entries + 2 * (1 << row_bits) + 16
    }

    /// Block RAMs of 36 kbit that rows take: none that stand in LUT RAM.
    pub fn row_block_rams(&self) -> u64 {
        if self.in_lut_ram() {
            return 0;
        }
        let entries = u64::from(self.entries);
        if let Some(masks) = self.masks {
            return masks::row_block_rams(masks, self.entries, self.key_bits());
        }
        let chunks = Fields::new(&self.fields, self.entries).chunks().len() as u64;
        // Their words are widest with 72 bits; half of one has 36. The bits of ranks are read for their change, too.
        let halves = chunks * entries.div_ceil(36);
        match self.has_places() {
            true => halves.div_ceil(2),
            false => halves,
        }
    }

    /// Bits of memory.
    pub fn memory_bits(&self) -> u64 {
        let fields = Fields::new(&self.fields, self.entries);
        if let Some(masks) = self.masks {
            return masks::memory_bits(masks, self.entries, self.key_bits());
        }
        if self.has_places() {
            return places::memory_bits(self.entries, &fields);
        }
        let rows: u64 = fields.chunks().iter().map(|chunk| 1 << chunk.bits()).sum();
        u64::from(self.entries) * (rows + u64::from(fields.word_bits()))
    }
}

/// The table.
///
/// No packet may stand in the three stages around the host's slot. Its change is there two clocks after the slot was in
/// stage R, and the packet in front of it then has been compared with the bits of the ranks of three clocks; all others change later.
///
/// # Panics
/// Without fields, with a field or a table that is empty, and with too many entries; with a range beside few masks.
pub fn ternary(config: &Ternary) -> Block<TernaryIn, TernaryOut> {
    assert!((1..=config.most_entries()).contains(&config.entries));
    assert!(!config.fields.is_empty() && config.fields.iter().all(|(_, bits)| *bits > 0));
    let table = Table::new(config);
    match config.masks {
        Some(masks) => table.build_masks(masks),
        None if config.has_places() => table.build_places(),
        None => table.build(),
    }
}

/// Whether a field is a range that addresses no memory, however many entries there are.
fn has_wide_range(fields: &[(Match, u32)]) -> bool {
    let is_wide = |(kind, bits): &(Match, u32)| *kind == Match::Range && *bits > MOST_CHUNK_BITS;
    fields.iter().any(is_wide)
}

struct Table<'a> {
    config: &'a Ternary,
    m: Module,
    entries: Entries,
    fields: Fields,
    key_bits: u32,
    /// [`Ternary::clocks`].
    clocks: u32,
}

impl Table<'_> {
    fn new(config: &Ternary) -> Table<'_> {
        let clocks = config.clocks();
        let fields = Fields::new(&config.fields, config.entries);
        Table {
            clocks,
            m: Module::new(
                config.name.clone(),
                format!(
                    "Entries of map {}: {} of keys with {fields}.\n\
                     Of those that match the one of highest priority is found, of several the one of the lowest number.\n\
                     Lookup: the key belongs to stage R, hit and entry stand in registers in stage R + {clocks}.\n\
                     Only the host changes entries. Before its slot comes, the table is made ready for it, while packets go\n\
                     on; the slot makes the change in one clock, in its place among the packets.",
                    config.map, config.entries,
                ),
            ),
            entries: Entries(config.entries),
            fields,
            key_bits: config.key_bits(),
            config,
        }
    }

    fn inputs(&mut self) -> TernaryIn {
        self.m.inputs(TernaryIn {
            slot: TernarySlotIn {
                key: self.key_bits,
                host_r: 1,
            },
            host: TernaryHostIn {
                clear: 1,
                clear_index: self.entries.bits(),
                start: 1,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_key: self.key_bits,
                host_mask: self.key_bits,
                host_priority: PRIORITY_BITS,
            },
        })
    }

    fn build(mut self) -> Block<TernaryIn, TernaryOut> {
        let inputs = self.inputs();
        let TernarySlotIn { key, host_r } = inputs.slot;
        let host_1 = self.m.delay_reset("host_1", host_r);
        let prepared = self.prepare(&inputs.host, host_1);
        let decided = (&prepared.command, &prepared.decision);
        let changes = changes(&mut self.m, host_r, decided);
        let meant = (&prepared.command, prepared.one_hot);
        let valid = self.entries.valid(&mut self.m, changes, meant);
        let ranks = self.ranks(changes, &prepared);
        let (stage, matching) = self.matching(key, valid, &prepared);
        let best = self.best(stage, matching, &ranks);
        let outputs = self.answers(host_1, best, &prepared);
        self.m.into_block(inputs, outputs)
    }

    /// Stage A.
    fn answers(&mut self, host_1: Node, best: Node, prepared: &Prepared) -> TernaryOut {
        let m = &mut self.m;
        let answer = Answered::of(
            m,
            self.entries,
            (host_1, self.clocks),
            best,
            (&prepared.command, &prepared.decision),
        );
        answer.into_ternary(prepared.ready, prepared.stored)
    }
}

impl Answered {
    /// With what the preparation gives: whether the host's slot may come, and the entry that a dump found.
    fn into_ternary(self, prepared: Node, stored: Entry) -> TernaryOut {
        TernaryOut {
            prepared,
            hit: self.hit,
            entry: self.entry,
            host_c: self.host_c,
            write_value: self.write_value,
            host_answer: self.host_answer,
            host_slot_out: self.host_slot,
            host_key_out: stored.key,
            host_mask_out: stored.mask,
            host_priority_out: stored.priority,
        }
    }
}
