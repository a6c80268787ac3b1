//! What a loader may say of a program, decides something, and nobody said.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::object::Object;

/// What a lifted program rests on beside its object and its options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOpen {
    /// Parts of `const volatile` variables that the program reads and uses and that have the object's values, in the form
    /// that the options take: `config.port=80`. Of structures and arrays of which much is read, the variable's name.
    pub constants: Vec<String>,
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
            empty_arrays: empty.collect(),
        }
    }

    fn constants_left(&self, object: &Object) -> Vec<String> {
        let mut parts: Vec<(String, String)> = Vec::new();
        for (map, first, end) in &self.constants {
            for byte in *first..*end {
                let is_set =
                    |(set_map, set): &(usize, Range<u64>)| set_map == map && set.contains(&byte);
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
