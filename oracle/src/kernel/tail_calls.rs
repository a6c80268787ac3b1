//! Program arrays: the programs of the same object that tail calls go to, judged copies like the first one.

use super::syscall;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{Object, ObjectMap, ProgramImage, TailCall};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsRawFd, OwnedFd};

/// The program arrays of a program. The kernel empties them when they are closed.
#[derive(Default)]
pub struct ProgramArrays {
    /// By index into the object's maps.
    arrays: BTreeMap<usize, OwnedFd>,
}

/// Whether a map is a program array.
pub fn is_program_array(map: &ObjectMap) -> bool {
    map.map_type == syscall::MAP_TYPE_PROG_ARRAY
}

/// The maps that a program uses, and those of the programs that its tail calls reach; and the entries of its
/// program arrays.
pub fn reachable(object: &Object, program: &ProgramImage) -> (BTreeSet<usize>, Vec<TailCall>) {
    let maps_of = |program: &ProgramImage| -> Vec<usize> {
        program.map_refs.iter().map(|used| used.map).collect()
    };
    let mut maps: BTreeSet<usize> = maps_of(program).into_iter().collect();
    let mut entries: Vec<TailCall> = Vec::new();
    loop {
        let new = object
            .tail_calls
            .iter()
            .find(|entry| maps.contains(&entry.map) && !entries.contains(entry));
        let Some(entry) = new else {
            return (maps, entries);
        };
        entries.push(*entry);
        if let Some(program) = object.programs.get(entry.program) {
            maps.extend(maps_of(program));
        }
    }
}

impl ProgramArrays {
    /// Makes an empty array. One whose size is left open has one entry, which is as good as none.
    pub fn create(&mut self, index: usize, map: &ObjectMap) -> Result<(), Diagnostic> {
        let fd = syscall::map_create(
            &map.name,
            map.map_type,
            map.key_bytes,
            map.value_bytes,
            map.max_entries.max(1),
            map.flags,
            None,
        )
        .map_err(|error| {
            Diagnostic::input(
                "kernel-rejects-map",
                format!("the kernel does not make this program array: {error}"),
            )
            .at(format!("map {}", map.name))
        })?;
        self.arrays.insert(index, fd);
        Ok(())
    }

    /// The descriptors, by index into the object's maps.
    pub fn descriptors(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.arrays
            .iter()
            .map(|(index, fd)| (*index, fd.as_raw_fd()))
    }

    /// Puts a program into an entry.
    pub fn set(&mut self, entry: &TailCall, program: &OwnedFd) -> Result<(), Diagnostic> {
        let Some(array) = self.arrays.get(&entry.map) else {
            return Ok(());
        };
        let descriptor = program.as_raw_fd().to_le_bytes();
        syscall::map_update(array, &entry.index.to_le_bytes(), &descriptor, 0).map_err(|error| {
            Diagnostic::input(
                "kernel-rejects-entry",
                format!(
                    "the kernel does not take the program for entry {}: {error}",
                    entry.index
                ),
            )
            .at(format!("map number {}", entry.map))
            .help("programs that call each other must be of one kind: all with xdp.frags, or none")
        })
    }
}
