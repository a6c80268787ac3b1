//! How tables find their entries: what `@hardpath_table("…")` in front of a table says, or its size and keys.
//!
//! | word | for | where entries are found |
//! |---|---|---|
//! | `hash` | exact keys | in a hash table |
//! | `direct` | exact keys of up to 16 bits | at the key: each has a place of its own |
//! | `cam` | exact keys | in words with a bit for each entry, one for some bits of the key, that are joined |
//! | `tcam` | all kinds of keys | likewise, with masks and priorities |
//! | `masks` | all; ranges are expanded | in a hash table for each mask, of which there are 16 at most |
//!
//! A table with one prefix, whose other keys are exact, that says nothing is searched by prefixes. Ranges are compared or expanded
//! ([`ranges`]).

mod ranges;

pub use ranges::{Promise, USUAL_ROWS};
pub(super) use ranges::{Ranges, Said};

use super::tables::find_of;
use hardpath_ir::{Field, Find, MapDecl, Match};

/// Entries of a table with keys that have masks, today.
pub const MOST_TERNARY: u64 = 4096;
/// The same where a key is a range of more bits than one memory finds.
pub const MOST_WIDE_RANGES: u64 = 1024;
/// Entries of a table whose masks are hash tables, and their masks.
pub const MOST_OF_MASKS: u64 = 8192;
/// Masks of such a table.
pub const MOST_MASKS: u32 = 16;
/// Bits of a range that one memory finds.
const NARROW_RANGE_BITS: u32 = 9;
/// Entries of a table with masks that says no size: each takes logic.
pub const USUAL_TERNARY: u64 = 64;
/// Entries of a table that does not say how many it has.
pub const USUAL: u64 = 1024;
/// Bits of a key that is a place.
const MOST_DIRECT_BITS: u32 = 16;
/// As many places cost nothing more than fewer: block RAM has them where its words are widest.
const FREE_PLACES: u64 = 512;

/// In front of a table: how it finds its entries.
pub(crate) const ANNOTATION: &str = "hardpath_table";
/// In front of a table or behind a key: how ranges are found.
pub(crate) const RANGE_ANNOTATION: &str = "hardpath_range";
/// The kind of a key that is a range, and prefixes in the table of the IR.
const EXPANDED: &str = "expanded";

/// How a table finds its entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Finding {
    /// In a hash table.
    #[default]
    Hash,
    /// Each key has a place of its own.
    Direct,
    /// By words with a bit for each entry.
    Cam,
    /// The same, with masks.
    Tcam,
    /// By a hash table for each mask.
    Masks,
    /// By a search for the longest prefix.
    Prefixes,
}

/// What decides how a table can find its entries.
#[derive(Clone)]
pub struct Asked<'a> {
    /// The kind of each key that is matched, and its bits. A range that is prefixes has a kind of its own.
    pub keys: Vec<(&'a str, u32)>,
    /// Entries that it wants.
    pub size: Option<u64>,
    /// Packets add entries.
    pub learns: bool,
    /// Bits of an entry's value.
    pub value_bits: u32,
}

/// How a table finds its entries, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The table, by its place in the design.
    pub table: usize,
    /// What was chosen.
    pub finding: Finding,
    /// The reason, behind "since".
    pub why: String,
    /// Where ranges are expanded: what the table promises.
    pub promise: Option<Promise>,
    /// All that could be, as tables of the IR, and why the others cannot.
    pub all: Vec<(Way, Result<MapDecl, String>)>,
}

/// A way to find entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// By what.
    pub finding: Finding,
    /// Some ranges are prefixes.
    pub expands: bool,
}

impl Way {
    /// For people and scripts.
    pub fn word(self) -> &'static str {
        match (self.finding, self.expands) {
            (Finding::Tcam, true) => "tcam/expand",
            (Finding::Masks, true) => "masks/expand",
            (finding, _) => finding.word(),
        }
    }
}

impl Finding {
    /// What may be asked for, with its word.
    pub const WORDS: [(&'static str, Finding); 5] = [
        ("hash", Finding::Hash),
        ("direct", Finding::Direct),
        ("cam", Finding::Cam),
        ("tcam", Finding::Tcam),
        ("masks", Finding::Masks),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        let mut words = Finding::WORDS.iter();
        let own = words.find(|(_, finding)| *finding == self);
        own.map_or("prefixes", |(word, _)| word)
    }

    /// What it is for the IR.
    pub(super) fn find(self) -> Find {
        match self {
            Finding::Hash => Find::Exact,
            Finding::Direct => Find::Array,
            Finding::Cam | Finding::Tcam | Finding::Masks => Find::Ternary,
            Finding::Prefixes => Find::Prefix,
        }
    }

    /// Entries of a table that asks for none.
    pub(super) fn usual(self) -> u64 {
        match self {
            Finding::Tcam => USUAL_TERNARY,
            _ => USUAL,
        }
    }

    /// Why it cannot be; else the table of the IR.
    pub(super) fn decl(self, name: &str, asked: &Asked) -> Result<MapDecl, String> {
        self.suits(asked)?;
        let size = asked.size.unwrap_or(self.usual());
        let most = self.most(asked);
        if let Some((what, most)) = most.filter(|(_, most)| size > *most) {
            return Err(format!(
                "{what} has at most {most} entries, and this one wants {size}"
            ));
        }
        let key_bits = asked.key_bits();
        let (key_bytes, size) = match self {
            Finding::Direct => (4, 1 << key_bits),
            Finding::Prefixes => (key_bits.div_ceil(8).max(1) + 4, size),
            _ => (key_bits.div_ceil(8).max(1), size),
        };
        let there = u32::from(self == Finding::Direct);
        let value_bytes = (asked.value_bits + there).div_ceil(8).max(1);
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let mut decl = MapDecl::new(name, self.find(), (key_bytes, value_bytes), size);
        decl.outside = "table".into();
        if self.find() == Find::Ternary {
            decl.fields = asked.fields(key_bytes);
        }
        decl.most_masks = (self == Finding::Masks).then_some(MOST_MASKS);
        Ok(decl)
    }

    /// Whether it finds such keys.
    fn suits(self, asked: &Asked) -> Result<(), String> {
        let kinds: Vec<&str> = asked.keys.iter().map(|(kind, _)| *kind).collect();
        let other = kinds.iter().find(|kind| **kind != "exact");
        if asked.learns && self != Finding::Hash {
            return Err(
                "packets add entries to it, which only a hash table takes from them".into(),
            );
        }
        let bits = asked.key_bits();
        match (self, other) {
            (Finding::Hash | Finding::Direct | Finding::Cam, Some(kind)) => Err(format!(
                "it finds keys that are the same in all bits, and one of these is `{kind}`"
            )),
            (Finding::Direct, None) if bits > MOST_DIRECT_BITS => Err(format!(
                "its keys have {bits} bits, and there is a place for each key of up to {MOST_DIRECT_BITS}"
            )),
            (Finding::Masks, _) if kinds.contains(&"range") => {
                Err("a range is no mask".to_string())
            }
            (Finding::Prefixes, _) if find_of(&kinds) != Ok(Find::Prefix) => {
                Err("its keys are not one prefix and exact ones".to_string())
            }
            _ => Ok(()),
        }
    }

    /// The most entries, and what has them.
    fn most(self, asked: &Asked) -> Option<(String, u64)> {
        let ranges = asked.keys.iter().filter(|(kind, _)| *kind == "range");
        let widest = ranges.map(|(_, bits)| *bits).max();
        match (self, widest) {
            (Finding::Cam, _) => Some((
                "a table of words with a bit for each entry".into(),
                MOST_TERNARY,
            )),
            (Finding::Tcam, Some(bits)) if bits > NARROW_RANGE_BITS => Some((
                format!("a table with a range of {bits} bits"),
                MOST_WIDE_RANGES,
            )),
            (Finding::Tcam, _) => Some(("a table with masks".into(), MOST_TERNARY)),
            (Finding::Masks, _) => {
                Some(("a table whose masks are hash tables".into(), MOST_OF_MASKS))
            }
            _ => None,
        }
    }
}

impl Asked<'_> {
    /// Bits of all keys.
    pub(super) fn key_bits(&self) -> u32 {
        self.keys.iter().map(|(_, bits)| bits).sum()
    }

    /// What a table that says nothing gets, and why.
    pub(super) fn choose(&self) -> (Finding, String) {
        let kinds: Vec<&str> = self.keys.iter().map(|(kind, _)| *kind).collect();
        match find_of(&kinds) {
            Ok(Find::Prefix) => {
                let why = "one of its keys is a prefix, and the others are exact";
                (Finding::Prefixes, why.into())
            }
            Ok(Find::Exact) => self.choose_exact(),
            _ => {
                let why = "its keys have masks, of which it may have any";
                (Finding::Tcam, why.into())
            }
        }
    }

    fn choose_exact(&self) -> (Finding, String) {
        let bits = self.key_bits();
        let size = self.size.unwrap_or(USUAL);
        let few = bits <= MOST_DIRECT_BITS && 1 << bits <= FREE_PLACES.max(2 * size);
        if self.learns {
            return (Finding::Hash, "packets add entries to it".into());
        }
        match few && bits > 0 {
            true => {
                let why = format!("all keys of {bits} bits have a place in a memory that is no larger than one of {size} entries and their keys");
                (Finding::Direct, why)
            }
            false => (
                Finding::Hash,
                format!("its keys are exact, and have {bits} bits"),
            ),
        }
    }

    /// The fields of its keys, which fill some bytes.
    fn fields(&self, key_bytes: u32) -> Vec<Field> {
        let field = |(kind, bits): &(&str, u32)| {
            let by = match *kind {
                "exact" => Match::Exact,
                "lpm" => Match::Prefix,
                "range" => Match::Range,
                _ => Match::Ternary,
            };
            Field { by, bits: *bits }
        };
        let mut fields: Vec<Field> = self.keys.iter().map(field).collect();
        let filled = self.key_bits();
        if filled < key_bytes * 8 {
            fields.push(Field {
                by: Match::Exact,
                bits: key_bytes * 8 - filled,
            });
        }
        fields
    }
}
