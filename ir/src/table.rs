//! What a table is, as hardware builds it. What people call it elsewhere is a name beside that.

use std::fmt;

/// How a key finds its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Find {
    /// The key is the entry's number, in 32 bits, and every entry is always there.
    Array,
    /// The key is the entry's number, in 32 bits. An entry is there when the first 32 bits of its value are not all zeros.
    Slots,
    /// By a key that is the same in all its bits.
    Exact,
    /// By the longest prefix. A key is 32 bits of length and then the data, whose first bit is the highest one of the first
    /// byte; what is looked up has a length, too, and no longer prefix is found.
    Prefix,
    /// By fields that match each in its own way ([`MapDecl::fields`]). Of the entries that match, the one of highest priority is
    /// found, of several the one that came to the lowest place. The key of an *entry* is longer than what is looked up: the fields,
    /// as many bytes of their masks, and 4 bytes of priority ([`MapDecl::entry_key_bytes`]).
    Ternary,
}

/// How a field of a key matches, by what the mask of an entry says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Match {
    /// All bits are the same. The mask means nothing.
    Exact,
    /// Bits are the same where the mask has ones, which begin at the highest bit and have no gap.
    Prefix,
    /// Bits are the same where the mask has ones.
    Ternary,
    /// The field is not below the entry's and not above its mask.
    Range,
}

impl Match {
    /// Every way, with its word in the text form.
    pub const ALL: [(&'static str, Match); 4] = [
        ("exact", Match::Exact),
        ("prefix", Match::Prefix),
        ("ternary", Match::Ternary),
        ("range", Match::Range),
    ];
}

/// A field of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Field {
    /// How it is compared with the same field of an entry.
    pub by: Match,
    /// Width in bits, at least 1.
    pub bits: u32,
}

/// Priorities where there are few masks: 24 bits around the middle.
pub const FEW_MASKS_PRIORITIES: std::ops::Range<u32> = (1 << 31) - (1 << 23)..(1 << 31) + (1 << 23);

/// Bytes of the priority behind key and mask of an entry, little endian.
pub const PRIORITY_BYTES: u32 = 4;

impl Find {
    /// Every way, with its word in the text form.
    pub const ALL: [(&'static str, Find); 5] = [
        ("array", Find::Array),
        ("slots", Find::Slots),
        ("exact", Find::Exact),
        ("prefix", Find::Prefix),
        ("ternary", Find::Ternary),
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        crate::syntax::word_for(&Find::ALL, &self)
    }
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A table of the program, with keys and values in whole bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapDecl {
    /// Its name in the outside world.
    pub name: String,
    /// What kind of table the outside world calls it, for people and drivers (`lru_percpu_hash`). Nothing follows from it.
    pub outside: String,
    /// How a lookup gets from a key to an entry, which decides what keys look like.
    pub find: Find,
    /// Of [`Find::Ternary`]: the fields of the key, the first one in its lowest bits. Other tables have none.
    pub fields: Vec<Field>,
    /// Of [`Find::Ternary`] without ranges: all entries together have at most so many masks, and an entry of one more finds no room; their
    /// priorities are within [`FEW_MASKS_PRIORITIES`]. `None`: any.
    pub most_masks: Option<u32>,
    /// Of what is looked up.
    pub key_bytes: u32,
    /// Of each entry, at least 1.
    pub value_bytes: u32,
    /// How many it holds when it is full; where keys are indices, these are below it. At least 1.
    pub max_entries: u32,
    /// When it is full, a new key takes the place of one that was not used for long. Else it is refused. Only of
    /// [`Find::Exact`].
    pub forgets: bool,
    /// An update of a key that is there changes the value where it stands, so that an entry from an earlier lookup
    /// sees the new value. Else the element is replaced, and the entry goes on to the old one.
    pub in_place: bool,
    /// Packets write it, too; else only the host does.
    pub packets_write: bool,
    /// The values begin with destinations, and a packet may be sent to all of them
    /// ([`Emit::each`](crate::Emit::each)). Only of 4-byte keys.
    pub broadcast: bool,
    /// First contents of the one entry of an array (`value_bytes` long). `None`: zeros.
    pub initial: Option<Vec<u8>>,
}

impl MapDecl {
    /// A table with what is usual: an array is written in place, the elements of others are replaced; it refuses when it is full,
    /// and packets write it, but for [`Find::Slots`].
    pub fn new(name: &str, find: Find, bytes: (u32, u32), max_entries: u32) -> MapDecl {
        MapDecl {
            name: name.into(),
            outside: find.name().into(),
            find,
            fields: Vec::new(),
            most_masks: None,
            key_bytes: bytes.0,
            value_bytes: bytes.1,
            max_entries,
            forgets: false,
            in_place: find == Find::Array,
            packets_write: find != Find::Slots,
            broadcast: false,
            initial: None,
        }
    }

    /// The key is an index, and every entry exists.
    pub fn is_array(&self) -> bool {
        self.find == Find::Array
    }

    /// The key is an index, and an entry is set or not.
    pub fn has_slots(&self) -> bool {
        self.find == Find::Slots
    }

    /// The key is an index below `max_entries`.
    pub fn is_indexed(&self) -> bool {
        self.is_array() || self.has_slots()
    }

    /// Entries are found by a key that is the same in all its bits.
    pub fn is_exact(&self) -> bool {
        self.find == Find::Exact
    }

    /// Only the host writes it, and nobody but its key says where an entry stands: so it may move.
    pub fn entries_may_move(&self) -> bool {
        self.is_exact() && !self.packets_write && !self.forgets && !self.broadcast
    }

    /// Entries are found by fields that match each in its own way.
    pub fn is_ternary(&self) -> bool {
        self.find == Find::Ternary
    }

    /// A key may be found that is not the same as the entry's; only the host changes which entries there are, and it takes
    /// hardware a while to make ready for that.
    pub fn is_matched(&self) -> bool {
        self.is_prefix() || self.is_ternary()
    }

    /// Bytes of an entry's key, as updates and deletes name it and dumps show it.
    pub fn entry_key_bytes(&self) -> u32 {
        match self.is_ternary() {
            true => 2 * self.key_bytes + PRIORITY_BYTES,
            false => self.key_bytes,
        }
    }

    /// The key of an entry that a key finds, of priority 0, or of few masks of the middle one. `any`: asked for each field that may match whatever is there. Of other
    /// tables the key itself.
    pub fn entry_key(&self, key: &[u8], mut any: impl FnMut() -> bool) -> Vec<u8> {
        let mut whole = key.to_vec();
        if !self.is_ternary() {
            return whole;
        }
        let bytes = self.key_bytes as usize;
        whole.resize(self.entry_key_bytes() as usize, 0);
        let mut lo = 0;
        for field in &self.fields {
            let matches_all = field.by != Match::Exact && any();
            for place in (lo..lo + field.bits).map(|place| place as usize) {
                let bit = 1 << (place % 8);
                let is_one = whole[place / 8] & bit != 0;
                let mask = match field.by {
                    Match::Range => matches_all || is_one,
                    _ => !matches_all,
                };
                if mask {
                    whole[bytes + place / 8] |= bit;
                }
                if matches_all {
                    whole[place / 8] &= !bit;
                }
            }
            lo += field.bits;
        }
        if self.most_masks.is_some() {
            let middle = FEW_MASKS_PRIORITIES.start
                + (FEW_MASKS_PRIORITIES.end - FEW_MASKS_PRIORITIES.start) / 2;
            whole[2 * bytes..].copy_from_slice(&middle.to_le_bytes());
        }
        whole
    }

    /// Bits of all fields.
    pub fn field_bits(&self) -> u32 {
        self.fields.iter().map(|field| field.bits).sum()
    }

    /// Entries are found by the longest prefix of the key.
    pub fn is_prefix(&self) -> bool {
        self.find == Find::Prefix
    }
}
