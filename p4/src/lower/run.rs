//! Runs what a program has become, by the interpreter of the IR or in hardware: the same tests as for the reference interpreter.

mod masks;
mod profiles;
mod rooms;
mod rows;

use super::control::Written;
use super::externs::meters::{rate_bytes, BUCKET_BYTES, RATE_BYTES};
use super::tables::{CELL_BYTES, COUNT_BYTES};
use super::{ir, Lowered};
use crate::design::Design;
use crate::idle;
use crate::interpreter::{first_tables, Data, Entry, Outcome, Way};
use crate::meters::Rates;
use crate::runner::Engine;
use crate::source::Sources;
use crate::typed::Program;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::{Prepared, MOST_STEPS};
use hardpath_ir::maps::Maps;
use hardpath_ir::{Answer, May};
use hardpath_packet::{Class, Fate, Sideband};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// What runs the IR of a program: the interpreter of the IR, or hardware. Keys and values are in memory order.
pub trait Device {
    /// What becomes of a packet.
    ///
    /// # Errors
    /// The device does not answer.
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Fate, Diagnostic>;
    /// A table gets an entry, or an entry another value.
    ///
    /// # Errors
    /// The table does not take it, or the device does not answer.
    fn update(&mut self, map: ir::MapId, key: &[u8], value: &[u8]) -> Result<(), String>;
    /// An entry goes.
    fn delete(&mut self, map: ir::MapId, key: &[u8]);
    /// The value of an entry.
    fn value(&mut self, map: ir::MapId, key: &[u8]) -> Option<Vec<u8>>;
}

/// A device whose tables stand in memory, and whatever runs a packet over them.
pub struct InMemory<R> {
    maps: Maps,
    run: R,
}

impl<R> InMemory<R>
where
    R: FnMut(&mut Maps, &[u8], &Sideband) -> Result<Fate, Diagnostic>,
{
    /// Before the first packet.
    pub fn new(lowered: &Lowered, run: R) -> InMemory<R> {
        InMemory {
            maps: Maps::new(&lowered.program.maps),
            run,
        }
    }
}

/// The interpreter of the IR.
pub fn interpreter(lowered: &Lowered) -> impl Device {
    let mut prepared = Prepared::new(&lowered.program);
    InMemory::new(lowered, move |maps, bytes, sideband| {
        let run = prepared.run_within(MOST_STEPS, maps, bytes, sideband);
        run.map_err(|error| Diagnostic::input("run-without-end", error.to_string()))
    })
}

impl<R> Device for InMemory<R>
where
    R: FnMut(&mut Maps, &[u8], &Sideband) -> Result<Fate, Diagnostic>,
{
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Fate, Diagnostic> {
        let sideband = Sideband {
            ingress: port,
            time_ns: time,
            ..Sideband::default()
        };
        (self.run)(&mut self.maps, bytes, &sideband)
    }

    fn update(&mut self, map: ir::MapId, key: &[u8], value: &[u8]) -> Result<(), String> {
        match self.maps.update(map, key, value, May::PUT) {
            Answer::Done => Ok(()),
            answer => Err(refuses(answer)),
        }
    }

    fn delete(&mut self, map: ir::MapId, key: &[u8]) {
        self.maps.delete(map, key);
    }

    fn value(&mut self, map: ir::MapId, key: &[u8]) -> Option<Vec<u8>> {
        self.maps.held(map, key).map(<[u8]>::to_vec)
    }
}

/// What a table that does not take an entry says.
pub fn refuses(answer: Answer) -> String {
    format!("the table refuses this entry: {answer}")
}

/// A lowered program on a device.
pub struct Running<'p, D> {
    lowered: &'p Lowered,
    program: &'p Program,
    design: &'p Design,
    device: D,
    /// Values of value sets, by the tables that they are.
    sets: BTreeMap<ir::MapId, BTreeSet<Vec<u8>>>,
    /// Where members and groups of action profiles stand.
    places: BTreeMap<usize, profiles::Places>,
    /// Entries that the program has, by tables.
    constant: Vec<Vec<Entry>>,
    /// What tables have whose masks are few.
    masks: masks::Masks,
    /// What tables have that share a memory.
    rooms: rooms::Rooms,
    /// What tables have whose ranges are expanded.
    rows: rows::Rows,
    /// Cells of meters that entries have, by their tables and keys.
    cells: BTreeMap<(usize, Vec<u8>), u32>,
}

impl<'p, D: Device> Running<'p, D> {
    /// A program before its first packet, with the entries that it has itself.
    ///
    /// # Errors
    /// As [`first_tables`]; an entry for which there is no room.
    pub fn new(
        device: D,
        lowered: &'p Lowered,
        program: &'p Program,
        sources: &'p Sources,
        design: &'p Design,
    ) -> Result<Running<'p, D>, Vec<Diagnostic>> {
        let mut running = Running {
            lowered,
            program,
            design,
            device,
            sets: Default::default(),
            places: Default::default(),
            constant: Vec::new(),
            masks: Default::default(),
            rooms: Default::default(),
            rows: Default::default(),
            cells: Default::default(),
        };
        let first = first_tables(program, sources, design)?;
        running.constant = first.iter().map(|table| table.entries.clone()).collect();
        for (number, (table, first)) in design.tables.iter().zip(&first).enumerate() {
            let of = &program.tables[table.table];
            // One that nobody applies is nowhere.
            let is_there = lowered.tables[number].entries.is_some();
            if !of.entries_are_constant && is_there {
                for (entry, written) in first.entries.iter().zip(&of.entries) {
                    running
                        .put(number, entry)
                        .map_err(|why| vec![sources.error("p4-entries", written.span, why)])?;
                }
            }
        }
        Ok(running)
    }

    fn of_table(&self, table: usize) -> &'p crate::typed::Table {
        &self.program.tables[self.design.tables[table].table]
    }

    /// Nobody applies it: nothing was made of it, and whatever is done to it changes nothing.
    fn is_nowhere(&self, table: usize) -> bool {
        self.lowered.tables[table].arguments.is_empty()
    }
}

/// Packets and bytes, of a value that begins with them.
fn counts(value: &[u8]) -> (u64, u64) {
    let word = |at: usize| {
        let bytes = value
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    (word(0), word(8))
}

impl<D: Device> Engine for Running<'_, D> {
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Outcome, Diagnostic> {
        let fate = self.device.packet(port, bytes, time)?;
        let (way, bytes) = match fate.copies.into_iter().next() {
            None => (Way::Nowhere, Vec::new()),
            Some(copy) => match copy.class {
                Class::SamePort => (Way::Back, copy.data),
                Class::Port => (Way::Port(copy.index), copy.data),
                Class::HostQueue => (Way::Host(copy.index), copy.data),
                Class::Nowhere => (Way::Nowhere, Vec::new()),
            },
        };
        Ok(Outcome {
            way,
            bytes,
            messages: Vec::new(),
        })
    }

    fn put(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        if self.lowered.tables[table].expands() {
            return self.put_rows(table, entry);
        }
        match self.lowered.entry(table, self.of_table(table), entry) {
            Some(mut written) => {
                self.masks.check(self.lowered, table, [&written])?;
                self.rooms.check(self.lowered, table, &written)?;
                self.refer(table, entry, &mut written)?;
                self.take_cell(table, &mut written);
                let (map, key) = (written.map, written.key);
                let put = self.device.update(map, &key, &written.value);
                match &put {
                    Ok(()) => {
                        self.rooms.put(self.lowered, table, &key);
                        self.masks.put(self.lowered, table, key);
                    }
                    Err(_) => {
                        self.cells.remove(&(table, key));
                    }
                }
                put
            }
            None if self.is_nowhere(table) => Ok(()),
            None => Err("this table has no entries".into()),
        }
    }

    fn change(&mut self, table: usize, entry: &Entry) -> Result<(), String> {
        if self.lowered.tables[table].expands() {
            return self.change_rows(table, entry);
        }
        match self.lowered.entry(table, self.of_table(table), entry) {
            Some(mut written) => {
                self.refer(table, entry, &mut written)?;
                let made = &self.lowered.tables[table];
                let front = made.front_bytes() as usize;
                if let Some(held) = self.device.value(written.map, &written.key) {
                    written.value[..front].copy_from_slice(&held[..front]);
                }
                made.set_time(&mut written.value, entry.last_found);
                self.device
                    .update(written.map, &written.key, &written.value)
            }
            None if self.is_nowhere(table) => Ok(()),
            None => Err("this table has no entries".into()),
        }
    }

    fn take(&mut self, table: usize, entry: &Entry) {
        if self.lowered.tables[table].expands() {
            return self.take_rows(table, entry);
        }
        if let Some(written) = self.lowered.entry(table, self.of_table(table), entry) {
            self.masks.take(table, &written.key);
            self.rooms.take(table, &written.key);
            // A place stays, whatever stands there.
            let vacant = self.lowered.vacant(table);
            let emptied =
                vacant.map(|nothing| self.device.update(written.map, &written.key, &nothing));
            if emptied.is_none() {
                self.device.delete(written.map, &written.key);
            }
            let cell = self.cells.remove(&(table, written.key));
            let counter = self.lowered.tables[table].cell_counter;
            if let (Some(counter), Some(cell)) = (counter, cell) {
                self.set_counter(counter, cell.into(), (0, 0));
            }
        }
    }

    fn default(&mut self, table: usize, default: (usize, Vec<Data>)) -> Result<(), String> {
        match self.lowered.default(table, &default) {
            Some(written) => self
                .device
                .update(written.map, &written.key, &written.value),
            None if self.is_nowhere(table) => Ok(()),
            None => Err("the default action of this table is constant".into()),
        }
    }

    fn write(&mut self, register: usize, cell: Option<(u64, Data)>) {
        let Some(map) = self.lowered.objects.get(&register).copied() else {
            return;
        };
        let decl = &self.lowered.program.maps[map];
        let (entries, bytes) = (decl.max_entries, decl.value_bytes as usize);
        // What is outside of an array is refused there.
        match cell {
            Some((index, data)) => {
                let (_, mut number) = data.to_number().to_bytes_le();
                number.resize(bytes, 0);
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                let _ = self.device.update(map, &index.to_le_bytes(), &number);
            }
            None => {
                for index in 0..entries {
                    let _ = self
                        .device
                        .update(map, &index.to_le_bytes(), &vec![0; bytes]);
                }
            }
        }
    }

    fn reset(&mut self, counter: usize) {
        self.write(counter, None);
    }

    fn counted(&mut self, counter: usize, cell: u64) -> (u64, u64) {
        let map = self.lowered.objects.get(&counter).copied();
        let index = u32::try_from(cell).unwrap_or(u32::MAX);
        let value = map.and_then(|map| self.device.value(map, &index.to_le_bytes()));
        value.map_or((0, 0), |value| counts(&value))
    }

    fn found(&mut self, table: usize, entry: &Entry) -> (u64, u64) {
        if let Some(counter) = self.lowered.tables[table].cell_counter {
            let cell = self.cell(table, entry);
            return cell.map_or((0, 0), |cell| self.counted(counter, cell.into()));
        }
        let written = self.lowered.entry(table, self.of_table(table), entry);
        let value = written.and_then(|written| self.device.value(written.map, &written.key));
        value.map_or((0, 0), |value| counts(&value))
    }

    fn set_counter(&mut self, counter: usize, cell: u64, count: (u64, u64)) {
        if let Some(map) = self.lowered.objects.get(&counter).copied() {
            let value = [count.0.to_le_bytes(), count.1.to_le_bytes()].concat();
            let index = u32::try_from(cell).unwrap_or(u32::MAX);
            let _ = self.device.update(map, &index.to_le_bytes(), &value);
        }
    }

    fn set_found(&mut self, table: usize, entry: &Entry, count: (u64, u64)) -> Result<(), String> {
        if self.is_nowhere(table) {
            return Ok(());
        }
        if let Some(counter) = self.lowered.tables[table].cell_counter {
            if let Some(cell) = self.cell(table, entry) {
                self.set_counter(counter, cell.into(), count);
            }
            return Ok(());
        }
        let written = self.lowered.entry(table, self.of_table(table), entry);
        match written.filter(|_| self.lowered.tables[table].counts) {
            None => Err("entries of this table count nothing".into()),
            Some(written) => {
                let held = self.device.value(written.map, &written.key);
                let mut value = held.unwrap_or(written.value);
                let count = [count.0.to_le_bytes(), count.1.to_le_bytes()].concat();
                value[..count.len()].copy_from_slice(&count);
                self.device.update(written.map, &written.key, &value)
            }
        }
    }

    fn last_found(&mut self, table: usize, entry: &Entry, known: u64, now: u64) -> u64 {
        let written = self.lowered.entry(table, self.of_table(table), entry);
        let value = written.and_then(|written| self.device.value(written.map, &written.key));
        let kept = value.and_then(|value| self.lowered.tables[table].time_in(&value));
        kept.map_or(known, |kept| idle::found_at(kept, known, now))
    }

    fn put_member(
        &mut self,
        profile: usize,
        member: u64,
        action: Option<(usize, Vec<Data>)>,
    ) -> Result<(), String> {
        self.place_member(profile, member, action)
    }

    fn put_group(
        &mut self,
        profile: usize,
        group: u64,
        members: Option<&[u64]>,
    ) -> Result<(), String> {
        self.place_group(profile, group, members)
    }

    fn set_rates(&mut self, meter: usize, cell: u64, rates: Option<Rates>) {
        if let Some(map) = self.lowered.rates.get(&meter).copied() {
            let index = u32::try_from(cell).unwrap_or(u32::MAX);
            let value = rate_bytes(rates.as_ref());
            let _ = self.device.update(map, &index.to_le_bytes(), &value);
        }
    }

    fn set_found_rates(
        &mut self,
        table: usize,
        entry: &Entry,
        rates: Option<Rates>,
    ) -> Result<(), String> {
        if self.is_nowhere(table) {
            return Ok(());
        }
        let meter = self.design.direct_meter(self.program, table);
        let map = meter.and_then(|(meter, _)| self.lowered.rates.get(&meter).copied());
        // Nothing asks a meter that has no table.
        let (Some(map), Some(cell)) = (map, self.cell(table, entry)) else {
            return Ok(());
        };
        let value = rate_bytes(rates.as_ref());
        self.device.update(map, &cell.to_le_bytes(), &value)
    }

    fn include(&mut self, parser: usize, set: usize, value: &BigInt) {
        if let Some(map) = self.lowered.value_sets.get(&(parser, set)).copied() {
            let key = self.member(map, value);
            if self.device.update(map, &key, &[1]).is_ok() {
                self.sets.entry(map).or_default().insert(key);
            }
        }
    }

    fn exclude(&mut self, parser: usize, set: usize, value: Option<&BigInt>) {
        let Some(map) = self.lowered.value_sets.get(&(parser, set)).copied() else {
            return;
        };
        let gone = match value {
            Some(value) => vec![self.member(map, value)],
            None => self.sets.get(&map).into_iter().flatten().cloned().collect(),
        };
        for key in gone {
            self.device.delete(map, &key);
            self.sets.entry(map).or_default().remove(&key);
        }
    }
}

impl<D: Device> Running<'_, D> {
    /// A new entry gets a cell of its table's meter: the buckets of that are full, and it has no rates. A counter by cells begins anew.
    fn take_cell(&mut self, table: usize, written: &mut Written) {
        let made = &self.lowered.tables[table];
        let meter = self.design.direct_meter(self.program, table);
        let Some((meter, _)) = meter.filter(|_| made.meters) else {
            return;
        };
        let own = self.cells.iter().filter(|((of, _), _)| *of == table);
        let cell = profiles::free_cell(own.map(|(_, cell)| cell));
        if cell >= made.cells {
            return;
        }
        let at = made.cell_at() as usize;
        written.value[at..at + CELL_BYTES as usize].copy_from_slice(&cell.to_le_bytes());
        let nothing = [
            (&self.lowered.rates, Some(meter), RATE_BYTES),
            (&self.lowered.objects, Some(meter), BUCKET_BYTES),
            (&self.lowered.objects, made.cell_counter, COUNT_BYTES),
        ];
        for (maps, object, bytes) in nothing {
            if let Some(map) = object.and_then(|object| maps.get(&object)) {
                let zeros = vec![0; bytes as usize];
                let _ = self.device.update(*map, &cell.to_le_bytes(), &zeros);
            }
        }
        self.cells.insert((table, written.key.clone()), cell);
    }

    /// The cell of an entry's meter.
    fn cell(&self, table: usize, entry: &Entry) -> Option<u32> {
        let of = self.of_table(table);
        match self.lowered.entry(table, of, entry) {
            Some(written) => self.cells.get(&(table, written.key)).copied(),
            // Those of the program have their own numbers.
            None => {
                let mut own = self.constant[table].iter();
                let place =
                    own.position(|one| one.keys == entry.keys && one.priority == entry.priority);
                u32::try_from(place?).ok()
            }
        }
    }

    /// The key that a value of a value set is.
    fn member(&self, map: ir::MapId, value: &BigInt) -> Vec<u8> {
        let (_, mut key) = value.to_bytes_le();
        key.resize(self.lowered.program.maps[map].key_bytes as usize, 0);
        key
    }
}
