//! Tables whose ranges are expanded: an entry is several rows of the table of the IR, which come and go with it.
//!
//! Rows of one entry have no packet in common, so each packet sees an entry as it is before a change or behind it. All rows together do not change
//! in one step: while an entry comes or goes, packets find it in a part of its ranges, from the lowest on. One that gets another action keeps its
//! rows, and no packet misses it.
//!
//! Two entries of the same priority may have a row in common. It is that of the one that was there first, as the meaning of the program is,
//! and becomes the other's when that goes.

use super::{Device, Running};
use crate::interpreter::Entry;
use crate::lower::control::Written;
use crate::lower::ir;
use std::collections::BTreeMap;

/// The rows of each table.
#[derive(Default)]
pub(super) struct Rows(BTreeMap<usize, BTreeMap<Vec<u8>, Vec<Part>>>);

/// What an entry has in a row.
struct Part {
    /// The entry's key with its ranges as they are.
    of: Vec<u8>,
    value: Vec<u8>,
}

impl Rows {
    fn of(&mut self, table: usize) -> &mut BTreeMap<Vec<u8>, Vec<Part>> {
        self.0.entry(table).or_default()
    }
}

impl<D: Device> Running<'_, D> {
    /// An entry comes, or is refused as a whole.
    pub(super) fn put_rows(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        let of = self.of_table(table);
        let Some(one) = self.lowered.entry(table, of, entry) else {
            return Ok(());
        };
        let all = self.lowered.row_count(table, of, entry);
        let most = u64::from(self.lowered.program.maps[one.map].max_entries);
        if all > most {
            return Err(too_few(
                all,
                (most - self.rows.of(table).len() as u64, most),
            ));
        }
        let rows = self.referring_rows(table, entry)?;
        let held = self.rows.of(table);
        let is_new = |row: &&Written| !held.contains_key(&row.key);
        let new: Vec<Written> = rows.iter().filter(is_new).cloned().collect();
        let free = most - held.len() as u64;
        if new.len() as u64 > free {
            return Err(too_few(new.len() as u64, (free, most)));
        }
        self.masks.check(self.lowered, table, &new)?;
        for (at, row) in new.iter().enumerate() {
            if let Err(why) = self.device.update(row.map, &row.key, &row.value) {
                let written = &new[..at];
                written
                    .iter()
                    .for_each(|row| self.device.delete(row.map, &row.key));
                return Err(why);
            }
        }
        for row in rows {
            self.masks.put(self.lowered, table, row.key.clone());
            let part = Part {
                of: one.key.clone(),
                value: row.value,
            };
            self.rows.of(table).entry(row.key).or_default().push(part);
        }
        Ok(())
    }

    /// An entry gets another action, row by row.
    pub(super) fn change_rows(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        let of = self.of_table(table);
        let Some(one) = self.lowered.entry(table, of, entry) else {
            return Ok(());
        };
        for row in self.referring_rows(table, entry)? {
            let parts = self.rows.0.entry(table).or_default().get_mut(&row.key);
            let parts = parts.into_iter().flatten().enumerate();
            for (at, part) in parts.filter(|(_, part)| part.of == one.key) {
                if at == 0 {
                    self.device.update(row.map, &row.key, &row.value)?;
                }
                part.value.clone_from(&row.value);
            }
        }
        Ok(())
    }

    /// An entry goes; a row that another one has, too, becomes that one's.
    pub(super) fn take_rows(&mut self, table: usize, entry: &Entry) {
        let of = self.of_table(table);
        let Some(one) = self.lowered.entry(table, of, entry) else {
            return;
        };
        for row in self.lowered.rows(table, of, entry) {
            let rows = self.rows.of(table);
            let Some(parts) = rows.get_mut(&row.key) else {
                continue;
            };
            let was_seen = parts.first().is_some_and(|part| part.of == one.key);
            parts.retain(|part| part.of != one.key);
            let next = parts.first().map(|part| part.value.clone());
            self.leave(table, (row.map, row.key), was_seen, next);
        }
    }

    /// What becomes of a row that an entry had.
    fn leave(
        &mut self,
        table: usize,
        (map, key): (ir::MapId, Vec<u8>),
        was_seen: bool,
        next: Option<Vec<u8>>,
    ) {
        match next {
            Some(value) if was_seen => {
                // The row is there, and only gets another value.
                let _ = self.device.update(map, &key, &value);
            }
            Some(_) => {}
            None => {
                self.rows.of(table).remove(&key);
                self.masks.take(table, &key);
                self.device.delete(map, &key);
            }
        }
    }

    /// The rows of an entry, with what they refer to.
    fn referring_rows(&self, table: usize, entry: &Entry) -> Result<Vec<Written>, String> {
        let mut rows = self.lowered.rows(table, self.of_table(table), entry);
        for row in &mut rows {
            self.refer(table, entry, row)?;
        }
        Ok(rows)
    }
}

fn too_few(needs: u64, (free, most): (u64, u64)) -> String {
    format!(
        "this entry takes {needs} rows of the table, one for each prefix of its ranges, and {free} of {most} are free; `@hardpath_range(\"expand\", N)` says how many rows each entry has"
    )
}
