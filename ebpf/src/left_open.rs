//! What a loader may say of a program, decides something, and nobody said.

use std::collections::BTreeSet;

use crate::constants::SetBytes;
use crate::object::Object;

/// What a lifted program rests on beside its object and its options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOpen {
    /// Parts of `const volatile` variables that the program reads and uses and that have the object's values, in the form
    /// that the options take: `config.port=80`. Of structures and arrays of which much is read, the variable's name.
    pub constants: Vec<String>,
    /// Constants that the options set by name and that the program does not read, by path.
    pub unread: Vec<String>,
    /// Program arrays without any entry that the program makes tail calls through.
    pub empty_arrays: Vec<String>,
}

/// What a program looked at while it was lifted.
#[derive(Default)]
pub struct Looked {
    /// Bytes of constants, by map.
    pub constants: BTreeSet<(usize, u64, u64)>,
    /// Program arrays in which it found no entry, by map.
    pub empty_arrays: BTreeSet<usize>,
}

/// Parts of one variable that are named; of more, the variable is.
const MAX_PARTS: usize = 4;

impl Looked {
    pub fn left_open(&self, object: &Object) -> LeftOpen {
        let empty = self
            .empty_arrays
            .iter()
            .map(|map| object.maps[*map].name.clone());
        LeftOpen {
            constants: self.constants_left(object),
            unread: self.unread(object),
            empty_arrays: empty.collect(),
        }
    }

    fn unread(&self, object: &Object) -> Vec<String> {
        let constants = (object.set.iter()).filter(|set| object.maps[set.map].read_only);
        let unread = constants.filter(|set| {
            let read = |(map, first, end): &(usize, u64, u64)| {
                *map == set.map && *first < set.bytes.end && set.bytes.start < *end
            };
            !self.constants.iter().any(read)
        });
        unread.filter_map(|set| set.path.clone()).collect()
    }

    fn constants_left(&self, object: &Object) -> Vec<String> {
        let mut parts: Vec<(String, String)> = Vec::new();
        for (map, first, end) in &self.constants {
            for byte in *first..*end {
                let is_set = |set: &SetBytes| set.map == *map && set.bytes.contains(&byte);
                if object.set.iter().any(is_set) {
                    continue;
                }
                let contents = object.maps[*map].initial.as_deref().unwrap_or_default();
                let part = object.globals.volatile_at(*map, byte, contents);
                parts.extend(part.filter(|part| !parts.contains(part)));
            }
        }
        let mut left = Vec::new();
        for of_variable in parts.chunk_by(|a, b| a.0 == b.0) {
            match of_variable.len() > MAX_PARTS {
                true => left.push(of_variable[0].0.clone()),
                false => left.extend(of_variable.iter().map(|(_, part)| part.clone())),
            }
        }
        left
    }
}
