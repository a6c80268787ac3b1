//! What is asked of a map whose entries can be accessed, and its judge.

use crate::kinds::Shape;
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_ir::maps::Maps;
use hardpath_ir::{Answer as Said, Find, MapDecl, MapId, May};
use hardpath_state::served::{through_entry, Entries, Served};
use hardpath_testkit::Random;

/// An entry that a lookup found, and that the same lookup would find now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle {
    pub key: u64,
    /// Its number in the interpreter.
    pub judged: u32,
    /// Its number in hardware.
    pub entry: u32,
}

/// What is asked, by a request or by the host.
#[derive(Clone, Debug)]
pub struct Ask {
    pub command: u32,
    pub may: May,
    pub slot: u64,
    pub key: u64,
    pub value: Vec<u8>,
    /// Of requests through an entry. One that is none of the map's has no handle behind it.
    pub handle: Handle,
    pub offset: u32,
    pub bytes: u32,
    pub word: u64,
    pub expected: u64,
}

impl Ask {
    pub fn is_through_entry(&self) -> bool {
        self.command >= through_entry::READ
    }

    /// What it does to the word that it finds.
    fn changed(&self, old: u64) -> Option<u64> {
        let word = self.word & low(self.bytes);
        Some(match self.command {
            through_entry::WRITE | through_entry::EXCHANGE => word,
            through_entry::ADD => old.wrapping_add(word),
            through_entry::AND => old & word,
            through_entry::OR => old | word,
            through_entry::XOR => old ^ word,
            through_entry::COMPARE_EXCHANGE if old == self.expected & low(self.bytes) => word,
            _ => return None,
        })
    }
}

/// So many bytes of ones.
fn low(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// What is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    pub said: Said,
    /// Of a lookup or dump that finds something.
    pub value: Option<Vec<u8>>,
    /// Of lookups, and of what goes through an entry.
    pub word: Option<u64>,
}

/// The judge's map. Elements stay where they are, but for those of a trie, of which the interpreter then would not keep the key of the
/// last update.
fn decl(shape: &Shape) -> MapDecl {
    MapDecl {
        in_place: shape.find != Find::Prefix,
        ..shape.decl()
    }
}

pub fn config(shape: &Shape) -> Served {
    Served {
        entries: match shape.find {
            Find::Slots => Entries::Read,
            _ => Entries::Written,
        },
        ..shape.config()
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
        let map = decls.push(decl(shape));
        Judge {
            shape: *shape,
            maps: Maps::new(&decls),
            map,
        }
    }

    fn key_bytes(&self, key: u64) -> Vec<u8> {
        key.to_le_bytes()[..decl(&self.shape).entry_key_bytes() as usize].to_vec()
    }

    /// The entry that a key finds.
    pub fn entry(&mut self, key: u64) -> Option<u32> {
        let key = self.key_bytes(key);
        self.maps.lookup(self.map, &key)
    }

    pub fn is_alive(&mut self, handle: &Handle) -> bool {
        self.entry(handle.key) == Some(handle.judged)
    }

    /// Bytes of an entry as the interpreter reads them.
    pub fn word(&self, entry: u32, offset: u32, bytes: u32) -> u64 {
        let value = self.maps.value(self.map, entry).unwrap_or(&[]);
        let byte = |place: u32| {
            let at = offset.wrapping_add(place) as usize;
            u64::from(value.get(at).copied().unwrap_or(0)) << (8 * place)
        };
        (0..bytes).map(byte).sum()
    }

    fn write(&mut self, ask: &Ask, word: u64) {
        let Some(value) = self.maps.value_mut(self.map, ask.handle.judged) else {
            return;
        };
        for place in 0..ask.bytes {
            let at = ask.offset.wrapping_add(place) as usize;
            if let Some(byte) = value.get_mut(at) {
                *byte = (word >> (8 * place)) as u8;
            }
        }
    }

    pub fn reply(&mut self, ask: &Ask) -> Reply {
        self.maps.begin_packet();
        let key = self.key_bytes(ask.key);
        let said = match ask.command {
            UPDATE => self.maps.update(self.map, &key, &ask.value, ask.may),
            DELETE => self.maps.delete(self.map, &key),
            _ if ask.is_through_entry() => {
                let old = self.word(ask.handle.judged, ask.offset, ask.bytes);
                if let Some(word) = ask.changed(old) {
                    self.write(ask, word);
                }
                return Reply {
                    said: Said::Done,
                    value: None,
                    word: Some(old),
                };
            }
            _ => {
                let found = self.entry(ask.key);
                let value = found.and_then(|entry| self.maps.value(self.map, entry));
                let word = found.map_or(0, |entry| self.word(entry, ask.offset, ask.bytes));
                return Reply {
                    said: match value {
                        Some(_) => Said::Done,
                        None => Said::Missing,
                    },
                    value: value.map(<[u8]>::to_vec),
                    word: Some(word),
                };
            }
        };
        Reply {
            said,
            value: None,
            word: None,
        }
    }

    /// All entries, key and value.
    pub fn entries(&self) -> Vec<(u64, Vec<u8>)> {
        let image = self.maps.image();
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        };
        let mut all: Vec<(u64, Vec<u8>)> = image["m"]
            .iter()
            .map(|(key, value)| (number(key), value.clone()))
            .collect();
        all.sort_unstable();
        all
    }
}

/// What is asked of a map.
pub struct Asker<'a> {
    pub shape: &'a Shape,
    /// So many different ones.
    pub keys: u64,
    /// Of a hundred requests so many are updates or deletes.
    pub changes: u64,
}

impl Asker<'_> {
    pub fn request(&self, random: &mut Random, judge: &Judge, handles: &[Handle]) -> Ask {
        let handle = self.handle(random, handles);
        let changes = random.below(100) < self.changes;
        let command = match (changes, handle) {
            (true, _) if self.shape.folded => DELETE,
            (true, _) => [UPDATE, UPDATE, DELETE][random.below(3) as usize],
            (false, Some(_)) if random.below(4) > 0 => self.through_entry(random),
            _ => LOOKUP,
        };
        let mut ask = self.any(random, command);
        ask.handle = handle.unwrap_or(ask.handle);
        ask.bytes = *random.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 8, 4]);
        ask.offset = self.offset(random);
        if random.below(2) == 0 {
            ask.expected = judge.word(ask.handle.judged, ask.offset, ask.bytes);
            // What stands above its bytes does not matter.
            ask.expected |= random.next() & !low(ask.bytes);
        }
        ask
    }

    pub fn operation(&self, random: &mut Random) -> Ask {
        let command = *random.pick(&[LOOKUP, UPDATE, UPDATE, DELETE, DUMP, DUMP]);
        self.any(random, command)
    }

    fn any(&self, random: &mut Random, command: u32) -> Ask {
        let slots = u64::from(self.shape.config().slots());
        Ask {
            command,
            may: match random.below(2) {
                0 => May::PUT,
                _ => May::from_bits(random.below(4) as u32),
            },
            slot: random.below(slots + 2),
            key: self.shape.key(random, self.keys),
            value: self.value(random),
            handle: self.none_of_the_maps(random),
            offset: 0,
            bytes: 8,
            word: random.next(),
            expected: random.next(),
        }
    }

    fn none_of_the_maps(&self, random: &mut Random) -> Handle {
        let slots = self.shape.config().slots();
        Handle {
            key: 0,
            // No interpreter has so many.
            judged: u32::MAX,
            entry: match random.below(2) {
                0 => slots + random.below(3) as u32,
                _ => 0x8000_0000 | random.below(2) as u32,
            },
        }
    }

    fn handle(&self, random: &mut Random, handles: &[Handle]) -> Option<Handle> {
        match random.below(12) {
            0 => Some(self.none_of_the_maps(random)),
            // Often the same one.
            1..=4 => handles.first().copied(),
            _ if handles.is_empty() => None,
            _ => Some(*random.pick(handles)),
        }
    }

    fn through_entry(&self, random: &mut Random) -> u32 {
        match (self.shape.find, random.below(4)) {
            (Find::Slots, _) | (_, 0) => through_entry::READ,
            _ => through_entry::WRITE + random.below(7) as u32,
        }
    }

    fn offset(&self, random: &mut Random) -> u32 {
        let bytes = u64::from(self.shape.value_bytes);
        match random.below(16) {
            0 => (bytes + random.below(20)) as u32,
            1 => 0u32.wrapping_sub(1 + random.below(10) as u32),
            2 => random.next() as u32,
            3 => 1 << random.below(32),
            4..=8 => random.below(bytes.min(4)) as u32,
            _ => random.below(bytes) as u32,
        }
    }

    fn value(&self, random: &mut Random) -> Vec<u8> {
        let mut value: Vec<u8> = (0..self.shape.value_bytes)
            .map(|_| random.next() as u8)
            .collect();
        if self.shape.find == Find::Slots && random.below(4) == 0 {
            value[..4].fill(0);
        }
        value
    }
}
