//! What a host asks of a design, and what comes of it.

use crate::address_map::name_of;
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
    /// `flags`: one of [`flags`].
    Update {
        map: usize,
        key: Vec<u8>,
        value: Vec<u8>,
        flags: u32,
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
    /// 0, or what a map command failed with: one of [`crate::errno`].
    pub errno: u32,
    /// Of a register read.
    pub data: u32,
    /// Of a dump.
    pub key: Vec<u8>,
    /// Of a lookup or a dump.
    pub value: Vec<u8>,
}

/// What MAP_FLAGS may be for an update (include/uapi/linux/bpf.h). A larger number fails with EINVAL.
pub mod flags {
    /// The entry may exist or not.
    pub const ANY: u32 = 0;
    /// It must not exist: `BPF_NOEXIST`.
    pub const NOEXIST: u32 = 1;
    /// It must exist: `BPF_EXIST`.
    pub const EXIST: u32 = 2;
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
