//! Entries that nobody finds for the time that they were given: a host looks for them now and then, and tells of each once, or takes it away.

use super::{same, wrong, Engine, Run};
use crate::commands::Cell;
use crate::idle::{self, Idle, Timer};
use crate::interpreter::Entry;
use hardpath_diagnostic::{Diagnostic, Place};

/// Entries that have a timeout.
#[derive(Default)]
pub struct Timers {
    all: Vec<Timed>,
}

/// An entry with its timer.
struct Timed {
    table: usize,
    entry: Entry,
    timer: Timer,
}

impl Timers {
    /// An entry gets a timeout in nanoseconds, in place of the one that it has, which begins now; 0: it has none any more.
    ///
    /// # Errors
    /// As [`idle::check`]; nothing has changed then.
    pub fn set(
        &mut self,
        engine: &mut impl Engine,
        (table, entry): (usize, &Entry),
        timeout: u64,
        now: u64,
    ) -> Result<(), String> {
        idle::check(timeout)?;
        self.forget(table, entry);
        if timeout > 0 {
            let found = engine.last_found(table, entry, now, now);
            self.all.push(Timed {
                table,
                entry: entry.clone(),
                timer: Timer::new(timeout, found, now),
            });
        }
        Ok(())
    }

    /// An entry is gone.
    pub fn forget(&mut self, table: usize, entry: &Entry) {
        self.all
            .retain(|one| one.table != table || !same(&one.entry, entry));
    }

    /// Entries that have become idle since the last time, with their tables: each once, until a packet has found it again. A host asks every sixteenth
    /// of the shortest timeout ([`idle::sweep_every`]) to hear of an entry within an eighth of its time.
    pub fn sweep(&mut self, engine: &mut impl Engine, now: u64) -> Vec<(usize, Entry)> {
        let mut idle = Vec::new();
        for one in &mut self.all {
            let known = one.timer.found();
            let found = engine.last_found(one.table, &one.entry, known, now);
            if one.timer.has_run_out(found, now) {
                idle.push((one.table, one.entry.clone()));
            }
        }
        idle
    }
}

impl<E: Engine> Run<'_, E> {
    /// So much time goes by, at the end of which the host looks for idle entries: nothing comes in between.
    pub(super) fn pass(&mut self, nanoseconds: u64, place: &Place) -> Result<(), Diagnostic> {
        self.time = self.time.saturating_add(nanoseconds);
        for (table, entry) in self.timers.sweep(self.engine, self.time) {
            match self.design.idle(self.program, table) {
                Some(Idle::Delete) => self.drop_entry(table, &entry, place)?,
                _ => self.idle.push((table, entry)),
            }
        }
        Ok(())
    }

    /// An entry gets a timeout.
    pub(super) fn set_timeout(
        &mut self,
        table: usize,
        entry: &Entry,
        timeout: u64,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        if timeout > 0 && self.design.idle(self.program, table).is_none() {
            let name = &self.design.tables[table].name;
            let message = format!("entries of `{name}` have no timeouts");
            let help = match self.of_table(table).entries_are_constant {
                true => "its entries are constant: they stay",
                false => "ask for them in the program: `support_timeout = true` in v1model, `psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL` in PSA, `pna_idle_timeout` in PNA",
            };
            return Err(wrong(place, message).help(help));
        }
        self.may_change(table, entry, place)?;
        let (engine, now) = (&mut *self.engine, self.time);
        let set = self.timers.set(engine, (table, entry), timeout, now);
        set.map_err(|why| wrong(place, why))
    }

    /// The entry that a command names by its label, or by how many were added to its table before it.
    pub(super) fn entry_named(
        &self,
        table: usize,
        cell: &Cell,
        place: &Place,
    ) -> Result<Entry, Diagnostic> {
        let entry = match cell {
            Cell::Index(index) => {
                let number = u32::try_from(index.word()).unwrap_or(u32::MAX);
                self.added_entry(table, number, place)?
            }
            Cell::Label(label) => match self.labels.get(label) {
                Some((of, entry)) if *of == table => entry.clone(),
                Some((of, _)) => {
                    let name = &self.design.tables[*of].name;
                    return Err(wrong(place, format!("`{label}` is an entry of `{name}`")));
                }
                None => {
                    return Err(wrong(place, format!("no entry has the label `{label}`")));
                }
            },
        };
        let mut all = self.tables[table].iter();
        match all.find(|one| same(one, &entry)) {
            Some(held) => Ok(held.clone()),
            None => Err(wrong(place, "this entry is gone")),
        }
    }

    /// An entry has become idle since the last time that this was asked.
    pub(super) fn expect_idle(&mut self, table: usize, entry: &Entry, place: &Place) {
        let mut told = self.idle.iter();
        match told.position(|(of, one)| *of == table && same(one, entry)) {
            Some(at) => drop(self.idle.remove(at)),
            None => {
                let message = "this entry has not become idle";
                self.failures.push(wrong(place, message));
            }
        }
    }

    /// No entry has become idle beside those that commands before this one expect.
    pub(super) fn no_idle(&mut self, place: &Place) {
        for (table, entry) in std::mem::take(&mut self.idle) {
            let name = &self.design.tables[table].name;
            let mut labels = self.labels.iter();
            let label = labels.find(|(_, (of, one))| *of == table && same(one, &entry));
            let which = match label {
                Some((label, _)) => format!("the entry `{label}`"),
                None => "an entry".into(),
            };
            let message = format!("{which} of `{name}` has become idle");
            self.failures.push(wrong(place, message));
        }
    }
}
