//! What a host asks of a design, and what comes of it.

use crate::address_map::name_of;
use crate::answer::{Answer, May};
use crate::design::Map;

/// Something that the host asks of a design. `map` is the map's place in [`Design::maps`](crate::Design::maps).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostOperation {
    /// Reads a word of 32 bits.
    ReadRegister {
        /// The register's byte offset, a multiple of 4.
        address: u32,
    },
    /// Writes a word of 32 bits.
    WriteRegister {
        /// The register's byte offset, a multiple of 4.
        address: u32,
        /// The word.
        data: u32,
    },
    /// Looks for the value of a key.
    Lookup {
        /// Whose entry is meant.
        map: usize,
        /// [`Map::key_bytes`] bytes, in memory order.
        key: Vec<u8>,
    },
    /// Makes or replaces an entry.
    Update {
        /// Where the entry is to be.
        map: usize,
        /// [`Map::key_bytes`] bytes, in memory order.
        key: Vec<u8>,
        /// [`Map::value_bytes`] bytes, in memory order.
        value: Vec<u8>,
        /// Which of the two it may do.
        may: May,
    },
    /// Takes an entry out.
    Delete {
        /// Whose entry is meant.
        map: usize,
        /// [`Map::key_bytes`] bytes, in memory order.
        key: Vec<u8>,
    },
    /// Reads what stands in a slot, whatever its key is.
    Dump {
        /// Whose slot is meant.
        map: usize,
        /// Below [`Map::slots`], else the answer is [`Answer::BadIndex`].
        slot: u32,
    },
    /// The first entry from a slot on. Not of designs before version 3.1.
    Next {
        /// The map's place in [`Design::maps`](crate::Design::maps).
        map: usize,
        /// The first slot that may be given.
        slot: u32,
    },
}

/// What came of an operation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostAnswer {
    /// Of a map command.
    pub answer: Answer,
    /// Of a register read.
    pub data: u32,
    /// Of a dump, or of the next entry.
    pub key: Vec<u8>,
    /// Of a lookup or a dump, or of the next entry.
    pub value: Vec<u8>,
    /// Of the next entry.
    pub slot: u32,
}

impl HostAnswer {
    /// Of a map command that has nothing else to tell.
    pub fn of(answer: Answer) -> HostAnswer {
        HostAnswer {
            answer,
            ..HostAnswer::default()
        }
    }
}

impl HostOperation {
    /// In words, for messages.
    pub fn describe(&self, maps: &[Map]) -> String {
        let name = |map: &usize| maps.get(*map).map_or("?", |map| map.name.as_str());
        match self {
            HostOperation::ReadRegister { address } => format!("read of register {address:#06x}"),
            HostOperation::WriteRegister { address, .. } => {
                format!("write of register {address:#06x}")
            }
            HostOperation::Lookup { map, .. } => format!("lookup in map {}", name(map)),
            HostOperation::Update { map, .. } => format!("update of map {}", name(map)),
            HostOperation::Delete { map, .. } => format!("delete from map {}", name(map)),
            HostOperation::Dump { map, slot } => {
                format!("dump of slot {slot} of map {}", name(map))
            }
            HostOperation::Next { map, slot } => {
                format!("search from slot {slot} of map {} on", name(map))
            }
        }
    }

    /// The map that it is on; `None`: it is on a register.
    pub fn map(&self) -> Option<usize> {
        match self {
            HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => None,
            HostOperation::Lookup { map, .. }
            | HostOperation::Update { map, .. }
            | HostOperation::Delete { map, .. }
            | HostOperation::Dump { map, .. }
            | HostOperation::Next { map, .. } => Some(*map),
        }
    }

    /// The map and the key of an operation on one.
    pub(crate) fn map_and_key(&self) -> Option<(usize, &[u8])> {
        match self {
            HostOperation::Lookup { map, key }
            | HostOperation::Update { map, key, .. }
            | HostOperation::Delete { map, key } => Some((*map, key)),
            _ => None,
        }
    }
}

/// One transfer of a word to or from a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Of a word of 32 bits.
    Read {
        /// The register's byte offset, a multiple of 4.
        address: u32,
    },
    /// Of a word of 32 bits, as a whole.
    Write {
        /// The register's byte offset, a multiple of 4.
        address: u32,
        /// The word.
        data: u32,
    },
}

impl Access {
    /// In words, for messages: the register's name beside its address.
    pub fn describe(self) -> String {
        let (what, address) = match self {
            Access::Read { address } => ("read of", address),
            Access::Write { address, .. } => ("write to", address),
        };
        format!("{what} register {address:#06x} ({})", name_of(address))
    }
}
