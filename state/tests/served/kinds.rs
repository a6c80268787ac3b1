//! The kinds of map under test: how each is built, what is asked of it, and its judge, the interpreter's store of maps.

use hardpath_blocks::array::Presence;
use hardpath_blocks::errno::{EINVAL, ENOENT};
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_ir::maps::Maps;
use hardpath_ir::{MapDecl, MapId, MapKind};
use hardpath_state::served::{Kind, Served};
use hardpath_testkit::Random;

/// What is asked, by a request or by the host.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub command: u32,
    pub flags: u64,
    pub slot: u64,
    pub key: u64,
    pub value: u64,
}

/// What is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub errno: u64,
    /// Of a lookup or dump that finds something.
    pub value: Option<u64>,
}

/// A map as the kernel has it, and in hardware.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: MapKind,
    pub key_bytes: u32,
    pub value_bytes: u32,
    pub max_entries: u32,
    pub registers: bool,
}

impl Shape {
    pub fn new(kind: MapKind, max_entries: u32, registers: bool) -> Shape {
        let (key_bytes, value_bytes) = match kind {
            MapKind::LpmTrie => (6, 5),
            MapKind::DevMap | MapKind::DevMapHash => (4, 8),
            MapKind::CpuMap | MapKind::XskMap => (4, 4),
            _ => (4, 5),
        };
        Shape {
            kind,
            key_bytes,
            value_bytes,
            max_entries,
            registers,
        }
    }

    pub fn config(&self) -> Served {
        Served {
            name: format!("served_{}", self.kind.name()),
            map: "m".into(),
            kind: match self.kind {
                MapKind::Hash | MapKind::PerCpuHash => Kind::Hash,
                MapKind::LruHash | MapKind::LruPerCpuHash => Kind::LruHash,
                MapKind::DevMapHash => Kind::DeviceHash,
                MapKind::Array | MapKind::PerCpuArray => Kind::Array(Presence::Always),
                MapKind::DevMap => Kind::Array(Presence::Devices),
                MapKind::CpuMap => Kind::Array(Presence::Cpus),
                MapKind::XskMap => Kind::Array(Presence::Sockets),
                MapKind::LpmTrie => Kind::Trie { bits_a_clock: 2 },
            },
            key_bits: self.key_bytes * 8,
            value_bits: self.value_bytes * 8,
            max_entries: self.max_entries,
            registers: self.registers,
            registers_values: self.registers,
        }
    }

    /// One of so many keys, some of them beyond the map.
    pub fn key(&self, random: &mut Random, keys: u64) -> u64 {
        if self.kind.is_trie() {
            // Short data, so that prefixes lie in each other; now and then too long.
            let data = (random.below(keys) * 0x0101) & 0xffff;
            let length = [0, 3, 7, 8, 9, 15, 16, 16, 16, 17][random.below(10) as usize];
            return data << 32 | length;
        }
        match (self.kind.is_indexed(), random.below(12)) {
            (true, 0) => u64::from(self.max_entries) + random.below(3),
            (true, 1) => 0x8000_0000 | random.below(keys),
            (true, _) => random.below(keys.min(u64::from(self.max_entries))),
            (false, _) => random.below(keys) * 0x0101_0101,
        }
    }

    pub fn value(&self, random: &mut Random) -> u64 {
        match self.kind {
            // An ifindex, often none, and the descriptor of a program, which may be none.
            MapKind::DevMap | MapKind::DevMapHash => {
                let program = [0, 0, 7, 0xffff_ffff][random.below(4) as usize];
                program << 32 | random.below(4)
            }
            MapKind::CpuMap => random.below(3) * 100,
            MapKind::XskMap => random.below(4),
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
            flags: [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 31][random.below(13) as usize],
            slot: 0,
            key: self.key(random, keys),
            value: self.value(random),
        }
    }

    /// Of the host, whose flags the kernel has looked at before the map does.
    pub fn operation(&self, random: &mut Random, keys: u64) -> Asked {
        let slots = u64::from(self.config().slots());
        Asked {
            command: [LOOKUP, UPDATE, UPDATE, DELETE, DUMP, DUMP][random.below(6) as usize],
            flags: random.below(4),
            slot: random.below(slots + 2),
            key: self.key(random, keys),
            value: self.value(random),
        }
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
        let map = decls.push(MapDecl {
            name: "m".into(),
            kind: shape.kind,
            key_bytes: shape.key_bytes,
            value_bytes: shape.value_bytes,
            max_entries: shape.max_entries,
            flags: 0,
            broadcast: false,
            initial: None,
        });
        Judge {
            shape: *shape,
            maps: Maps::new(&decls),
            map,
        }
    }

    pub fn answer(&mut self, asked: &Asked) -> Answer {
        let key = &asked.key.to_le_bytes()[..self.shape.key_bytes as usize];
        let value = &asked.value.to_le_bytes()[..self.shape.value_bytes as usize];
        self.maps.begin_packet();
        let status = match asked.command {
            UPDATE => self.maps.update(self.map, key, value, asked.flags),
            DELETE => self.maps.delete(self.map, key),
            _ => {
                let value = self.maps.get(self.map, key).map(number);
                return Answer {
                    errno: if value.is_some() { 0 } else { ENOENT },
                    value,
                };
            }
        };
        Answer {
            errno: status.unsigned_abs(),
            value: None,
        }
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
        if slot >= u64::from(self.shape.config().slots()) {
            return answer.errno == EINVAL;
        }
        let entries = self.entries();
        match (answer.errno, self.shape.kind.is_indexed()) {
            (0, true) => key == slot && entries.contains(&(key, answer.value.expect("of a dump"))),
            (0, false) => entries.contains(&(key, answer.value.expect("of a dump"))),
            (errno, true) => errno == ENOENT && entries.iter().all(|(key, _)| *key != slot),
            (errno, false) => errno == ENOENT,
        }
    }
}

/// Bytes in memory order, at most eight.
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}
