//! Tables that share a memory: each has room for as many entries as it says, whatever is free in the memory.

use crate::lower::{Lowered, Written};
use std::collections::{BTreeMap, BTreeSet};

/// The keys of the entries of each such table.
#[derive(Default)]
pub(super) struct Rooms {
    keys: BTreeMap<usize, BTreeSet<Vec<u8>>>,
}

impl Rooms {
    /// # Errors
    /// The table has no room for another entry.
    pub(super) fn check(
        &self,
        lowered: &Lowered,
        table: usize,
        written: &Written,
    ) -> Result<(), String> {
        let made = &lowered.tables[table];
        let keys = self.keys.get(&table).filter(|_| made.share.is_some());
        let is_full = |keys: &BTreeSet<Vec<u8>>| {
            keys.len() >= made.size as usize && !keys.contains(&written.key)
        };
        match keys.is_some_and(is_full) {
            true => Err(format!("the table has room for {} entries", made.size)),
            false => Ok(()),
        }
    }

    /// There is an entry.
    pub(super) fn put(&mut self, lowered: &Lowered, table: usize, key: &[u8]) {
        if lowered.tables[table].share.is_some() {
            self.keys.entry(table).or_default().insert(key.to_vec());
        }
    }

    /// It is gone.
    pub(super) fn take(&mut self, table: usize, key: &[u8]) {
        if let Some(keys) = self.keys.get_mut(&table) {
            keys.remove(key);
        }
    }
}
