//! Keys that a design does not store: the host keeps them.
//!
//! Bits of a map's keys that are the same in the whole program are not in the design ([`KeyBits`](crate::KeyBits)). A key that has
//! others there is *foreign*: the host has it and its value here, and asks the design for a place of `max_entries` or gives one
//! back. What needs no place goes as a lookup, which finds nothing: so each operation has its turn among the packets.

use crate::design::Map;
use crate::errno;
use crate::fault::Fault;
use crate::operation::{flags, HostAnswer, HostOperation};
use std::collections::BTreeMap;

/// The entries of a map: values by their keys, both in memory order.
pub type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// The foreign keys of a design's maps, with their values. They live as long as what the design's maps hold.
#[derive(Clone, Default, Debug)]
pub struct Foreign {
    /// By the map's place in [`Design::maps`](crate::Design::maps).
    maps: BTreeMap<usize, Entries>,
}

impl Foreign {
    /// The design is reset.
    pub fn clear(&mut self) {
        self.maps.clear();
    }

    /// Those of a map.
    pub fn entries(&self, map: usize) -> impl Iterator<Item = (&Vec<u8>, &Vec<u8>)> {
        self.maps.get(&map).into_iter().flatten()
    }

    /// The value of a foreign key.
    pub fn get(&self, map: usize, key: &[u8]) -> Option<&Vec<u8>> {
        self.maps.get(&map)?.get(key)
    }

    /// What the design is asked in place of an operation; `None`: the operation is not one on a foreign key.
    pub fn asked(&self, maps: &[Map], operation: &HostOperation) -> Option<HostOperation> {
        let (map, key) = on_foreign_key(maps, operation)?;
        Some(asked(operation, self.get(map, key).is_some()))
    }

    /// Carries an operation on a foreign key out, and gives its answer. `given`: the errno of the design to what it was asked.
    ///
    /// # Errors
    /// [`Fault::Foreign`]: the design answers what it must not.
    pub fn answer(&mut self, operation: HostOperation, given: u32) -> Result<HostAnswer, Fault> {
        let fails = |errno| HostAnswer {
            errno,
            ..HostAnswer::default()
        };
        let Some((map, key)) = operation.map_and_key() else {
            return Ok(fails(given));
        };
        let there = self.get(map, key).cloned();
        let question = asked(&operation, there.is_some());
        let is_right = match question {
            HostOperation::Update { .. } => given == 0 || given == errno::E2BIG,
            HostOperation::Delete { .. } => given == 0,
            _ => given == errno::ENOENT,
        };
        if !is_right {
            return Err(Fault::Foreign { question, given });
        }
        Ok(match (operation, there) {
            (HostOperation::Lookup { .. }, Some(value)) => HostAnswer {
                value,
                ..HostAnswer::default()
            },
            (HostOperation::Update { flags, .. }, _) if flags > flags::EXIST => {
                fails(errno::EINVAL)
            }
            (HostOperation::Update { flags, .. }, Some(_)) if flags == flags::NOEXIST => {
                fails(errno::EEXIST)
            }
            (HostOperation::Update { flags, .. }, None) if flags == flags::EXIST => {
                fails(errno::ENOENT)
            }
            (HostOperation::Update { .. }, None) if given != 0 => fails(given),
            (HostOperation::Update { key, value, .. }, _) => {
                self.maps.entry(map).or_default().insert(key, value);
                HostAnswer::default()
            }
            (HostOperation::Delete { key, .. }, Some(_)) => {
                self.maps.entry(map).or_default().remove(&key);
                HostAnswer::default()
            }
            _ => fails(errno::ENOENT),
        })
    }
}

/// What a design is asked in place of an operation on a foreign key. `is_there`: the host keeps the key already.
pub fn asked(operation: &HostOperation, is_there: bool) -> HostOperation {
    match operation {
        HostOperation::Update { flags, .. } if !is_there && *flags < flags::EXIST => {
            operation.clone()
        }
        HostOperation::Delete { .. } if is_there => operation.clone(),
        other => match other.map_and_key() {
            Some((map, key)) => {
                let key = key.to_vec();
                HostOperation::Lookup { map, key }
            }
            None => other.clone(),
        },
    }
}

/// The map and the key of an operation on a foreign one. A key of a wrong length is not one.
fn on_foreign_key<'a>(maps: &[Map], operation: &'a HostOperation) -> Option<(usize, &'a [u8])> {
    let (number, key) = operation.map_and_key()?;
    let map = maps.get(number)?;
    let is_key = key.len() == map.key_bytes as usize;
    (is_key && map.stored.is_foreign(key)).then_some((number, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(flags: u32) -> HostOperation {
        HostOperation::Update {
            map: 0,
            key: vec![1],
            value: vec![flags as u8],
            flags,
        }
    }

    /// As `htab_map_update_elem` and its neighbours answer, and only with places that the design gives.
    #[test]
    fn answers_are_the_kernels() {
        let (map, key) = (0, vec![1]);
        let lookup = HostOperation::Lookup {
            map,
            key: key.clone(),
        };
        let delete = HostOperation::Delete { map, key };
        let mut foreign = Foreign::default();
        let places = [
            (delete.clone(), None, errno::ENOENT),
            (update(2), None, errno::ENOENT),
            (update(3), None, errno::EINVAL),
            (update(0), Some(errno::E2BIG), errno::E2BIG),
            (lookup.clone(), None, errno::ENOENT),
            (update(1), Some(0), 0),
            (update(1), None, errno::EEXIST),
            (update(2), None, 0),
            (update(0), None, 0),
            (lookup.clone(), None, 0),
            (delete, Some(0), 0),
            (lookup, None, errno::ENOENT),
        ];
        for (number, (operation, place, errno)) in places.into_iter().enumerate() {
            let is_there = foreign.get(0, &[1]).is_some();
            let question = asked(&operation, is_there);
            assert_eq!(
                question == operation,
                place.is_some() || !changes(&operation)
            );
            let given = place.unwrap_or(errno::ENOENT);
            let answer = foreign.answer(operation, given).expect("it is right");
            assert_eq!(answer.errno, errno, "operation {number}");
        }
        let error = foreign
            .answer(update(0), errno::ENOENT)
            .expect_err("a defect");
        assert_eq!(error.code(), "foreign-key");
    }

    fn changes(operation: &HostOperation) -> bool {
        !matches!(operation, HostOperation::Lookup { .. })
    }
}
