//! What the tables of the IR hold where the reference interpreter holds the same: by which the two are compared after a run.

use super::externs::meters::{bucket_bytes, rate_bytes};
use super::{ir, Lowered, Written, COUNT_BYTES};
use crate::design::Design;
use crate::interpreter::{Entry, Machine, Match};
use crate::runner::{COUNTERS, DIRECT_COUNTERS, DIRECT_METERS, METERS};
use crate::typed::Program;
use hardpath_ir::maps::{Entries, Image, Maps};

impl Lowered {
    /// All tables, registers and counters as they should be when the reference interpreter has come so far. Where cells of meters and members are is a
    /// matter of who put the entries there: what the tables held `first` says it.
    pub fn image(
        &self,
        machine: &mut Machine,
        program: &Program,
        design: &Design,
        first: &Image,
    ) -> Image {
        // Arrays have all their cells.
        let mut image = Maps::new(&self.program.maps).image();
        for (number, place) in design.tables.iter().enumerate() {
            let of = &program.tables[place.table];
            let state = machine.table(number);
            let meter = design.direct_meter(program, number);
            let cells_of = |object: usize| self.objects.get(&object).copied();
            let buckets = meter.and_then(|(meter, _)| cells_of(meter));
            let counts = self.tables[number].cell_counter.and_then(cells_of);
            for (at, entry) in state.entries.iter().enumerate() {
                // Those of the program have their own numbers.
                let mut cell = u32::try_from(at).ok();
                for mut written in self.rows(number, of, entry) {
                    cell = self.placed(number, &mut written, first);
                    let value = self.counted(number, entry, written.value);
                    let held = self.entries(&mut image, written.map);
                    // A row of several entries is that of the first one.
                    if !self.tables[number].expands() || !held.contains_key(&written.key) {
                        held.insert(written.key, value);
                    }
                }
                let held = [
                    (buckets, bucket_bytes(&entry.meter)),
                    (counts, pair(entry.count).to_vec()),
                ];
                for (map, value) in held {
                    if let (Some(map), Some(cell)) = (map, cell) {
                        self.entries(&mut image, map)
                            .insert(cell.to_le_bytes().to_vec(), value);
                    }
                }
            }
            let default = state.default.as_ref();
            if let Some(written) = default.and_then(|default| self.default(number, default)) {
                self.entries(&mut image, written.map)
                    .insert(written.key, written.value);
            }
        }
        for (object, map) in &self.objects {
            let cells = match design.extern_of(program, *object) {
                // They stand with the entries of their tables.
                name if DIRECT_METERS.contains(&name) => continue,
                name if DIRECT_COUNTERS.contains(&name) => continue,
                name if COUNTERS.contains(&name) => counts(machine, *object),
                name if METERS.contains(&name) => buckets(machine, *object),
                _ => self.cells(machine, program, design, (*object, *map)),
            };
            self.entries(&mut image, *map).extend(cells);
        }
        for (object, map) in &self.rates {
            let cells = match DIRECT_METERS.contains(&design.extern_of(program, *object)) {
                true => self.held(first, *map),
                false => rates(machine, *object),
            };
            self.entries(&mut image, *map).extend(cells);
        }
        for profile in self.profiles.values() {
            let (groups, slots) = profile.groups.unzip();
            for map in [Some(profile.members), groups, slots].into_iter().flatten() {
                let held = self.held(first, map);
                self.entries(&mut image, map).extend(held);
            }
        }
        for (set, map) in &self.value_sets {
            for member in machine.value_set_mut(set.0, set.1) {
                if let Some(Match::Masked { value, .. }) = member.first() {
                    let (_, mut key) = value.to_bytes_le();
                    key.resize(self.program.maps[*map].key_bytes as usize, 0);
                    self.entries(&mut image, *map).insert(key, vec![1]);
                }
            }
        }
        image
    }

    fn entries<'a>(&self, image: &'a mut Image, map: ir::MapId) -> &'a mut Entries {
        let name = &self.program.maps[map].name;
        image.entry(name.clone()).or_default()
    }

    /// What a table that packets do not write held at the begin, and holds.
    fn held(&self, first: &Image, map: ir::MapId) -> Entries {
        let held = first.get(&self.program.maps[map].name);
        held.cloned().unwrap_or_default()
    }

    /// Takes the cell of an entry's meter, and its member, from what its table held.
    fn placed(&self, table: usize, written: &mut Written, first: &Image) -> Option<u32> {
        let made = &self.tables[table];
        let held = first.get(&self.program.maps[written.map].name)?;
        let is_placed = made.meters || made.profile.is_some();
        let held = held.get(&written.key).filter(|_| is_placed)?;
        let cell = made.cell_at() as usize..made.front_bytes() as usize;
        let at = match made.profile {
            Some(_) => cell.start..held.len(),
            None => cell.clone(),
        };
        written.value[at.clone()].copy_from_slice(&held[at]);
        Some(u32::from_le_bytes(held[cell].try_into().ok()?))
    }

    /// The value of an entry with what it has counted.
    fn counted(&self, table: usize, entry: &Entry, mut value: Vec<u8>) -> Vec<u8> {
        if self.tables[table].counts {
            value[..COUNT_BYTES as usize].copy_from_slice(&pair(entry.count));
        }
        value
    }

    /// The cells of a register that were written.
    fn cells(
        &self,
        machine: &mut Machine,
        program: &Program,
        design: &Design,
        (object, map): (usize, ir::MapId),
    ) -> Entries {
        let of = design.cell_type(object);
        let bytes = self.program.maps[map].value_bytes as usize;
        let cells = machine.cells(object).iter();
        let cells = cells.filter_map(|(index, data)| {
            let mut value = data.packed(&program.types, &of);
            value.reverse();
            value.resize(bytes, 0);
            Some((key(*index)?, value))
        });
        cells.collect()
    }
}

/// The buckets of meters.
fn buckets(machine: &mut Machine, object: usize) -> Entries {
    let meters = machine.meters(object).iter();
    let cells = meters.filter_map(|(index, meter)| Some((key(*index)?, bucket_bytes(meter))));
    cells.collect()
}

/// The rates of meters.
fn rates(machine: &mut Machine, object: usize) -> Entries {
    let meters = machine.meters(object).iter();
    let cells =
        meters.filter_map(|(index, meter)| Some((key(*index)?, rate_bytes(meter.rates.as_ref()))));
    cells.collect()
}

fn counts(machine: &mut Machine, object: usize) -> Entries {
    let counts = machine.counts(object).iter();
    let cells = counts.filter_map(|(index, count)| Some((key(*index)?, pair(*count).to_vec())));
    cells.collect()
}

/// Where a cell stands in its array.
fn key(index: u64) -> Option<Vec<u8>> {
    let index = u32::try_from(index).ok()?;
    Some(index.to_le_bytes().to_vec())
}

/// Packets and bytes.
fn pair(count: (u64, u64)) -> [u8; COUNT_BYTES as usize] {
    let mut bytes = [0; COUNT_BYTES as usize];
    bytes[..8].copy_from_slice(&count.0.to_le_bytes());
    bytes[8..].copy_from_slice(&count.1.to_le_bytes());
    bytes
}
