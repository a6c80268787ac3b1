//! The kinds of map under test: how each is built, what is asked of it, and its judge, the interpreter's store of maps.

use hardpath_blocks::array::Presence;
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_blocks::ternary;
use hardpath_ir::maps::Maps;
use hardpath_ir::{Answer as Said, Field, Find, MapDecl, MapId, Match, May};
use hardpath_state::served::{Entries, Kind, Served};
use hardpath_testkit::Random;

/// What is asked, by a request or by the host.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub command: u32,
    pub may: May,
    pub slot: u64,
    pub key: u64,
    pub value: u64,
}

/// What is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub said: Said,
    /// Of a lookup or dump that finds something.
    pub value: Option<u64>,
}

/// A table in the interpreter and in hardware.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub find: Find,
    pub forgets: bool,
    pub key_bytes: u32,
    pub value_bytes: u32,
    pub max_entries: u32,
    pub registers: bool,
    /// Its values are in rows.
    pub folded: bool,
    /// Bytes of key and entries of the room in which it stands, where that is a larger one.
    pub room: Option<(u32, u32)>,
}

impl Shape {
    pub fn new(find: Find, max_entries: u32, registers: bool) -> Shape {
        let (key_bytes, value_bytes) = match find {
            Find::Prefix => (6, 5),
            Find::Slots => (4, 8),
            // Key, mask and priority fill the words of the bench.
            Find::Ternary => (1, 5),
            _ => (4, 5),
        };
        Shape {
            find,
            forgets: false,
            key_bytes,
            value_bytes,
            max_entries,
            registers,
            folded: false,
            room: None,
        }
    }

    /// One that forgets a key when it is full.
    pub fn forgetful(max_entries: u32, registers: bool) -> Shape {
        Shape {
            forgets: true,
            ..Shape::new(Find::Exact, max_entries, registers)
        }
    }

    pub fn decl(&self) -> MapDecl {
        let field = |by, bits| Field { by, bits };
        let bytes = (self.key_bytes, self.value_bytes);
        MapDecl {
            forgets: self.forgets,
            fields: match self.find {
                Find::Ternary => vec![field(Match::Ternary, 5), field(Match::Range, 3)],
                _ => Vec::new(),
            },
            ..MapDecl::new("m", self.find, bytes, self.max_entries)
        }
    }

    pub fn name(&self) -> &'static str {
        match self.forgets {
            true => "forgetful",
            false => self.find.name(),
        }
    }

    pub fn config(&self) -> Served {
        let own = (self.decl().entry_key_bytes(), self.max_entries);
        let (key_bytes, max_entries) = self.room.unwrap_or(own);
        Served {
            name: format!("served_{}", self.name()),
            map: "m".into(),
            kind: match self.find {
                Find::Exact if self.forgets => Kind::LruHash,
                Find::Exact => Kind::Hash,
                Find::Array if self.folded => Kind::Folded,
                Find::Array => Kind::Array(Presence::Always),
                Find::Slots => Kind::Array(Presence::NotZero),
                Find::Prefix => Kind::Trie { bits_a_clock: 2 },
                Find::Ternary => Kind::Ternary,
            },
            key_bits: key_bytes * 8,
            fields: match self.find {
                Find::Ternary => vec![(ternary::Match::Ternary, 5), (ternary::Match::Range, 3)],
                _ => Vec::new(),
            },
            masks: None,
            value_bits: self.value_bytes * 8,
            max_entries,
            entries: Entries::Hidden,
            registers: self.registers,
            registers_values: self.registers,
            bounded: self.room.is_some(),
            holds: 0,
            journal: false,
        }
    }

    /// One of so many keys, some of them beyond the map; above it whatever is there in its room.
    pub fn key(&self, random: &mut Random, keys: u64) -> u64 {
        let key = self.own_key(random, keys);
        let beyond = match self.room {
            Some((bytes, _)) if bytes > self.key_bytes => random.below(1 << 16),
            _ => 0,
        };
        key | beyond.checked_shl(8 * self.key_bytes).unwrap_or(0)
    }

    fn own_key(&self, random: &mut Random, keys: u64) -> u64 {
        if self.find == Find::Ternary {
            let fields = (random.below(keys) * 0x13) & 0xff;
            let masks = [0xff, 0xe0, 0xfc, 0x1f, 0x67][random.below(5) as usize];
            return random.below(3) << 16 | masks << 8 | fields;
        }
        if self.find == Find::Prefix {
            // Short data, so that prefixes lie in each other; now and then too long.
            let data = (random.below(keys) * 0x0101) & 0xffff;
            let length = [0, 3, 7, 8, 9, 15, 16, 16, 16, 17][random.below(10) as usize];
            return data << 32 | length;
        }
        match (self.is_indexed(), random.below(12)) {
            (true, 0) => u64::from(self.max_entries) + random.below(3),
            (true, 1) => 0x8000_0000 | random.below(keys),
            (true, _) => random.below(keys.min(u64::from(self.max_entries))),
            (false, _) => random.below(keys) * 0x0101_0101,
        }
    }

    fn is_indexed(&self) -> bool {
        matches!(self.find, Find::Array | Find::Slots)
    }

    pub fn value(&self, random: &mut Random) -> u64 {
        match self.find {
            // Often nothing, by its first half.
            Find::Slots => random.below(3) << 32 | random.below(4),
            _ => random.below(1 << 32) << 8 | random.below(256),
        }
    }

    pub fn request(&self, random: &mut Random, keys: u64, changes: u64) -> Asked {
        let changes = random.below(100) < changes;
        let command = match (changes, random.below(3)) {
            (false, _) => [LOOKUP, LOOKUP, LOOKUP, 0, 7][random.below(5) as usize],
            (true, 0) => DELETE,
            (true, _) => UPDATE,
        };
        Asked {
            command,
            may: some_may(random),
            slot: 0,
            key: self.key(random, keys),
            value: self.value(random),
        }
    }

    pub fn operation(&self, random: &mut Random, keys: u64) -> Asked {
        let slots = u64::from(self.config().slots());
        Asked {
            command: [LOOKUP, UPDATE, UPDATE, DELETE, DUMP, DUMP][random.below(6) as usize],
            may: some_may(random),
            slot: random.below(slots + 2),
            key: self.key(random, keys),
            value: self.value(random),
        }
    }
}

fn some_may(random: &mut Random) -> May {
    match random.below(2) {
        0 => May::PUT,
        _ => May::from_bits(random.below(4) as u32),
    }
}

/// The interpreter's map.
pub struct Judge {
    shape: Shape,
    maps: Maps,
    map: MapId,
}

impl Judge {
    pub fn new(shape: &Shape) -> Judge {
        let mut decls = cranelift_entity::PrimaryMap::new();
        let map = decls.push(shape.decl());
        Judge {
            shape: *shape,
            maps: Maps::new(&decls),
            map,
        }
    }

    pub fn answer(&mut self, asked: &Asked) -> Answer {
        let key = &asked.key.to_le_bytes()[..self.shape.decl().entry_key_bytes() as usize];
        let value = &asked.value.to_le_bytes()[..self.shape.value_bytes as usize];
        self.maps.begin_packet();
        let said = match asked.command {
            UPDATE => self.maps.update(self.map, key, value, asked.may),
            DELETE => self.maps.delete(self.map, key),
            _ => {
                let value = self.maps.get(self.map, key).map(number);
                return Answer {
                    said: match value {
                        Some(_) => Said::Done,
                        None => Said::Missing,
                    },
                    value,
                };
            }
        };
        Answer { said, value: None }
    }

    /// All entries, key and value.
    pub fn entries(&self) -> Vec<(u64, u64)> {
        let image = self.maps.image();
        let entries = image["m"].iter();
        let mut all: Vec<(u64, u64)> = entries
            .map(|(key, value)| (number(key), number(value)))
            .collect();
        all.sort_unstable();
        all
    }

    /// Whether a dump of a slot may answer so, with the key. Where an entry stands is the table's business, so all that is known of
    /// a slot of a map with keys is that what is there exists.
    pub fn allows(&self, slot: u64, key: u64, answer: &Answer) -> bool {
        let slots = match self.shape.is_indexed() {
            true => self.shape.max_entries,
            false => self.shape.config().slots(),
        };
        if slot >= u64::from(slots) {
            return answer.said == Said::BadIndex;
        }
        let entries = self.entries();
        match (answer.said, self.shape.is_indexed()) {
            (Said::Done, true) => {
                key == slot && entries.contains(&(key, answer.value.expect("of a dump")))
            }
            (Said::Done, false) => entries.contains(&(key, answer.value.expect("of a dump"))),
            (said, true) => said == Said::Missing && entries.iter().all(|(key, _)| *key != slot),
            (said, false) => said == Said::Missing,
        }
    }
}

/// Bytes in memory order, at most eight.
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}
