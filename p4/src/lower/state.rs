//! What the tables of the IR hold where the reference interpreter holds the same: by which the two are compared after a run.

use super::{ir, Lowered, COUNT_BYTES};
use crate::design::Design;
use crate::interpreter::{Entry, Machine, Match};
use crate::runner::COUNTERS;
use crate::typed::Program;
use crate::types::Type;
use hardpath_ir::maps::{Entries, Image, Maps};

impl Lowered {
    /// All tables, registers and counters as they should be when the reference interpreter has come so far.
    pub fn image(&self, machine: &mut Machine, program: &Program, design: &Design) -> Image {
        // Arrays have all their cells.
        let mut image = Maps::new(&self.program.maps).image();
        for (number, place) in design.tables.iter().enumerate() {
            let of = &program.tables[place.table];
            let state = machine.table(number);
            for entry in &state.entries {
                if let Some(written) = self.entry(number, of, entry) {
                    let value = self.counted(number, entry, written.value);
                    self.entries(&mut image, written.map)
                        .insert(written.key, value);
                }
            }
            let default = state.default.as_ref();
            if let Some(written) = default.and_then(|default| self.default(number, default)) {
                self.entries(&mut image, written.map)
                    .insert(written.key, written.value);
            }
        }
        for (object, map) in &self.objects {
            let cells = match is_counter(program, design, *object) {
                true => counts(machine, *object),
                false => self.cells(machine, program, design, (*object, *map)),
            };
            self.entries(&mut image, *map).extend(cells);
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

fn is_counter(program: &Program, design: &Design, object: usize) -> bool {
    match design.objects[object].of {
        Type::Object(of, _) => COUNTERS.contains(&program.types.objects[of].name.as_str()),
        _ => false,
    }
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
