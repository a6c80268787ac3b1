//! Tables whose masks are hash tables: an entry that cannot be is told with the reason, before the table refuses it.

use crate::lower::finding::{Finding, MOST_MASKS};
use crate::lower::layout::PRIORITY_OFFSET;
use crate::lower::{Lowered, Written};
use hardpath_ir::FEW_MASKS_PRIORITIES;
use std::collections::{BTreeMap, BTreeSet};

/// The keys of the entries of each such table.
#[derive(Default)]
pub(super) struct Masks {
    keys: BTreeMap<usize, BTreeSet<Vec<u8>>>,
}

/// The mask in the key of an entry, and its priority.
fn parts(key: &[u8]) -> (&[u8], u32) {
    let (fields, priority) = key.split_last_chunk().expect("a priority stands behind");
    (&fields[fields.len() / 2..], u32::from_le_bytes(*priority))
}

impl Masks {
    /// Whether there is room for all these, which come together.
    ///
    /// # Errors
    /// They have one mask too many, or too large a priority.
    pub(super) fn check<'w>(
        &self,
        lowered: &Lowered,
        table: usize,
        all: impl IntoIterator<Item = &'w Written>,
    ) -> Result<(), String> {
        if lowered.tables[table].finding != Finding::Masks {
            return Ok(());
        }
        let keys = self.keys.get(&table).into_iter().flatten();
        let mut masks: BTreeSet<&[u8]> = keys.map(|key| parts(key).0).collect();
        let before = masks.len();
        for written in all {
            let (mask, priority) = parts(&written.key);
            if !FEW_MASKS_PRIORITIES.contains(&priority) {
                let [least, most] = [FEW_MASKS_PRIORITIES.start, FEW_MASKS_PRIORITIES.end - 1]
                    .map(|end| i64::from(end) - i64::from(PRIORITY_OFFSET));
                return Err(format!(
                    "this table finds entries by `masks`, where priorities are from {least} to {most}"
                ));
            }
            masks.insert(mask);
        }
        let more = masks.len() - before;
        let has = match (before, more) {
            (_, 0) => return Ok(()),
            _ if masks.len() <= MOST_MASKS as usize => return Ok(()),
            (before, more) if before >= MOST_MASKS as usize && more == 1 => {
                format!("all {MOST_MASKS} that it may have are in use; this entry has another one")
            }
            _ => format!(
                "{before} of {MOST_MASKS} that it may have are in use; this entry has {more} others"
            ),
        };
        Err(format!("this table finds entries by `masks`, and {has}"))
    }

    /// There is an entry.
    pub(super) fn put(&mut self, lowered: &Lowered, table: usize, key: Vec<u8>) {
        if lowered.tables[table].finding == Finding::Masks {
            self.keys.entry(table).or_default().insert(key);
        }
    }

    /// It is gone.
    pub(super) fn take(&mut self, table: usize, key: &[u8]) {
        if let Some(keys) = self.keys.get_mut(&table) {
            keys.remove(key);
        }
    }
}
