//! What runs a program for the runner: what it must do, and how the reference interpreter does it.

use super::same;
use crate::interpreter::{Data, Entry, Machine, Match, Outcome};
use crate::meters::Rates;
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;

/// What runs a program: the reference interpreter, or what was made of the program.
pub trait Engine {
    /// What becomes of a packet that comes in at a port, so many nanoseconds after the begin.
    ///
    /// # Errors
    /// What the engine does not do.
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Outcome, Diagnostic>;
    /// A table gets an entry, in place of one with the same keys and priority.
    ///
    /// # Errors
    /// It has no room for it.
    fn put(&mut self, table: usize, entry: &Entry) -> Result<(), String>;
    /// The entry with the same keys and priority gets another action, and counts as found when that says; what it has counted and metered stays.
    ///
    /// # Errors
    /// The table does not take it.
    fn change(&mut self, table: usize, entry: &Entry) -> Result<(), String>;
    /// An entry goes.
    fn take(&mut self, table: usize, entry: &Entry);
    /// What is done when nothing is found.
    ///
    /// # Errors
    /// That never changes.
    fn default(&mut self, table: usize, default: (usize, Vec<Data>)) -> Result<(), String>;
    /// A cell of a register; `None`: all of them become zero.
    fn write(&mut self, register: usize, cell: Option<(u64, Data)>);
    /// All cells of a counter become zero.
    fn reset(&mut self, counter: usize);
    /// Packets and bytes that a cell of a counter has counted.
    fn counted(&mut self, counter: usize, cell: u64) -> (u64, u64);
    /// Packets and bytes that an entry was found by.
    fn found(&mut self, table: usize, entry: &Entry) -> (u64, u64);
    /// What a cell of a counter has counted.
    fn set_counter(&mut self, counter: usize, cell: u64, count: (u64, u64));
    /// What an entry was found by.
    ///
    /// # Errors
    /// Its table counts nothing.
    fn set_found(&mut self, table: usize, entry: &Entry, count: (u64, u64)) -> Result<(), String>;
    /// When an entry was last found or put there, by nanoseconds: not before it was, and at most a unit of [`crate::idle`] behind. `known` is what
    /// this gave before; that stays where the entry is nowhere.
    fn last_found(&mut self, table: usize, entry: &Entry, known: u64, now: u64) -> u64;
    /// A member of an action profile gets an action, a function of the program; `None`: it goes.
    ///
    /// # Errors
    /// There is no room for it.
    fn put_member(
        &mut self,
        profile: usize,
        member: u64,
        action: Option<(usize, Vec<Data>)>,
    ) -> Result<(), String>;
    /// A group of an action selector gets these members, in one step; `None`: it goes.
    ///
    /// # Errors
    /// There is no room for it.
    fn put_group(
        &mut self,
        profile: usize,
        group: u64,
        members: Option<&[u64]>,
    ) -> Result<(), String>;
    /// A cell of a meter gets rates; `None`: it meters nothing.
    fn set_rates(&mut self, meter: usize, cell: u64, rates: Option<Rates>);
    /// The meter of an entry likewise.
    ///
    /// # Errors
    /// Its table has none.
    fn set_found_rates(
        &mut self,
        table: usize,
        entry: &Entry,
        rates: Option<Rates>,
    ) -> Result<(), String>;
    /// A value set of a parser gets a value.
    fn include(&mut self, parser: usize, set: usize, value: &BigInt);
    /// A value goes; `None`: all of them.
    fn exclude(&mut self, parser: usize, set: usize, value: Option<&BigInt>);
}

impl Engine for Machine<'_> {
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Outcome, Diagnostic> {
        Machine::packet(self, port, bytes, time)
    }

    fn put(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        self.take(table, entry);
        self.table_mut(table).entries.push(entry.clone());
        Ok(())
    }

    fn change(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        if let Some(found) = entry_mut(self, table, entry) {
            (found.action, found.arguments) = (entry.action, entry.arguments.clone());
            (found.through, found.last_found) = (entry.through, entry.last_found);
        }
        Ok(())
    }

    fn take(&mut self, table: usize, entry: &Entry) {
        self.table_mut(table)
            .entries
            .retain(|one| !same(one, entry));
    }

    fn default(&mut self, table: usize, default: (usize, Vec<Data>)) -> Result<(), String> {
        self.table_mut(table).default = Some(default);
        Ok(())
    }

    fn write(&mut self, register: usize, cell: Option<(u64, Data)>) {
        match cell {
            Some((index, data)) => drop(self.cells(register).insert(index, data)),
            None => self.cells(register).clear(),
        }
    }

    fn reset(&mut self, counter: usize) {
        self.counts(counter).clear();
    }

    fn counted(&mut self, counter: usize, cell: u64) -> (u64, u64) {
        self.counts(counter).get(&cell).copied().unwrap_or_default()
    }

    fn found(&mut self, table: usize, entry: &Entry) -> (u64, u64) {
        let entries = &self.table(table).entries;
        let found = entries.iter().find(|one| same(one, entry));
        found.map_or((0, 0), |one| one.count)
    }

    fn set_counter(&mut self, counter: usize, cell: u64, count: (u64, u64)) {
        self.counts(counter).insert(cell, count);
    }

    fn set_found(&mut self, table: usize, entry: &Entry, count: (u64, u64)) -> Result<(), String> {
        if let Some(found) = entry_mut(self, table, entry) {
            found.count = count;
        }
        Ok(())
    }

    fn last_found(&mut self, table: usize, entry: &Entry, known: u64, _: u64) -> u64 {
        entry_mut(self, table, entry).map_or(known, |found| found.last_found)
    }

    fn put_member(
        &mut self,
        profile: usize,
        member: u64,
        action: Option<(usize, Vec<Data>)>,
    ) -> Result<(), String> {
        self.set_member(profile, member, action);
        Ok(())
    }

    fn put_group(
        &mut self,
        profile: usize,
        group: u64,
        members: Option<&[u64]>,
    ) -> Result<(), String> {
        self.set_group(profile, group, members.map(<[u64]>::to_vec));
        Ok(())
    }

    fn set_rates(&mut self, meter: usize, cell: u64, rates: Option<Rates>) {
        self.meters(meter).entry(cell).or_default().rates = rates;
    }

    fn set_found_rates(
        &mut self,
        table: usize,
        entry: &Entry,
        rates: Option<Rates>,
    ) -> Result<(), String> {
        if let Some(found) = entry_mut(self, table, entry) {
            found.meter.rates = rates;
        }
        Ok(())
    }

    fn exclude(&mut self, parser: usize, set: usize, value: Option<&BigInt>) {
        let is_it = |one: &Match| match (one, value) {
            (Match::Masked { value: one, .. }, Some(value)) => one == value,
            _ => value.is_none(),
        };
        self.value_set_mut(parser, set)
            .retain(|one| !one.iter().any(is_it));
    }

    fn include(&mut self, parser: usize, set: usize, value: &BigInt) {
        let mask = (BigInt::from(1) << 4096) - 1;
        let value = value.clone();
        self.value_set_mut(parser, set)
            .push(vec![Match::Masked { value, mask }]);
    }
}

/// The entry with the same keys and priority.
fn entry_mut<'m>(machine: &'m mut Machine, table: usize, entry: &Entry) -> Option<&'m mut Entry> {
    let mut entries = machine.table_mut(table).entries.iter_mut();
    entries.find(|one| same(one, entry))
}
