//! What the registers of a map operation hold, as far as it is known.

use crate::address_map::{command, register};
use crate::operation::Access;
use std::collections::BTreeMap;

/// Words that were written, or read. A reset makes them others, and so does another driver: it is for operations in a row, between
/// which neither comes.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// By their addresses.
    words: BTreeMap<u32, u32>,
    /// The last command was NEXT.
    walks: bool,
}

impl Held {
    /// The access would write what is there already.
    pub fn has(&self, access: Access) -> bool {
        match access {
            Access::Read { .. } => false,
            Access::Write { address, data } => self.words.get(&address) == Some(&data),
        }
    }

    /// An access was carried out; `data`: the word of a read.
    pub fn follow(&mut self, access: Access, data: u32) {
        match access {
            Access::Write { address, data } if address == register::MAP_COMMAND => {
                self.start(data);
            }
            Access::Write { address, data } if is_kept(address) => {
                self.words.insert(address, data);
            }
            // NEXT leaves the slot behind the one that it found.
            Access::Read { address } if address == register::MAP_HANDLE && self.walks => {
                self.words.insert(register::MAP_SLOT, data.wrapping_add(1));
            }
            Access::Read { address } if is_kept(address) => {
                self.words.insert(address, data);
            }
            _ => {}
        }
    }

    /// A command may change registers.
    fn start(&mut self, command: u32) {
        self.walks = command == command::NEXT;
        let changes = |address: u32| match command {
            command::UPDATE | command::DELETE => false,
            command::LOOKUP => address >= register::VALUE,
            command::DUMP => address >= register::KEY,
            _ => address >= register::KEY || address == register::MAP_SLOT,
        };
        self.words.retain(|address, _| !changes(*address));
    }
}

/// A register that keeps what it is given, until a command changes it.
fn is_kept(address: u32) -> bool {
    let of_operations = [register::MAP_SELECT, register::MAP_MAY, register::MAP_SLOT];
    of_operations.contains(&address) || address >= register::KEY
}
