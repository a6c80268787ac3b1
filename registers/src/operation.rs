//! What a host asks of a design, and what comes of it.

use crate::address_map::name_of;
use crate::answer::{Answer, May};
use crate::design::Map;

/// Something that the host asks of a design. `map` is the map's place in [`Design::maps`](crate::Design::maps).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostOperation {
    ReadRegister {
        address: u32,
    },
    WriteRegister {
        address: u32,
        data: u32,
    },
    Lookup {
        map: usize,
        key: Vec<u8>,
    },
    Update {
        map: usize,
        key: Vec<u8>,
        value: Vec<u8>,
        may: May,
    },
    Delete {
        map: usize,
        key: Vec<u8>,
    },
    Dump {
        map: usize,
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
    /// Of a dump.
    pub key: Vec<u8>,
    /// Of a lookup or a dump.
    pub value: Vec<u8>,
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
    Read { address: u32 },
    Write { address: u32, data: u32 },
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
