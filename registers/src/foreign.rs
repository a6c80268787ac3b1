//! Keys that a design does not store: the host keeps them.
//!
//! Bits of a map's keys that are the same in the whole program are not in the design ([`KeyBits`](crate::KeyBits)). A key that has
//! others there is *foreign*: the host has it and its value here, and asks the design for a place of `max_entries` or gives one
//! back. What needs no place goes as a lookup, which finds nothing: so each operation has its turn among the packets.

use crate::answer::{Answer, May};
use crate::design::Map;
use crate::fault::Fault;
use crate::operation::{HostAnswer, HostOperation};
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

    /// Carries an operation on a foreign key out, and gives its answer. `given`: what the design answered to what it was asked.
    ///
    /// # Errors
    /// [`Fault::Foreign`]: the design answers what it must not.
    pub fn answer(&mut self, operation: HostOperation, given: Answer) -> Result<HostAnswer, Fault> {
        let Some((map, key)) = operation.map_and_key() else {
            return Ok(HostAnswer::of(given));
        };
        let there = self.get(map, key).cloned();
        let question = asked(&operation, there.is_some());
        let is_right = match question {
            HostOperation::Update { .. } => matches!(given, Answer::Done | Answer::Full),
            HostOperation::Delete { .. } => given.is_done(),
            _ => given == Answer::Missing,
        };
        if !is_right {
            return Err(Fault::Foreign { question, given });
        }
        Ok(match (operation, there) {
            (HostOperation::Lookup { .. }, Some(value)) => HostAnswer {
                value,
                ..HostAnswer::default()
            },
            (HostOperation::Update { may, .. }, _) if may == May::NOTHING => {
                HostAnswer::of(Answer::Refused)
            }
            (HostOperation::Update { may, .. }, Some(_)) if !may.replace => {
                HostAnswer::of(Answer::Exists)
            }
            (HostOperation::Update { may, .. }, None) if !may.create => {
                HostAnswer::of(Answer::Missing)
            }
            (HostOperation::Update { .. }, None) if !given.is_done() => HostAnswer::of(given),
            (HostOperation::Update { key, value, .. }, _) => {
                self.maps.entry(map).or_default().insert(key, value);
                HostAnswer::default()
            }
            (HostOperation::Delete { key, .. }, Some(_)) => {
                self.maps.entry(map).or_default().remove(&key);
                HostAnswer::default()
            }
            _ => HostAnswer::of(Answer::Missing),
        })
    }
}

/// What a design is asked in place of an operation on a foreign key. `is_there`: the host keeps the key already.
pub fn asked(operation: &HostOperation, is_there: bool) -> HostOperation {
    match operation {
        HostOperation::Update { may, .. } if !is_there && may.create => operation.clone(),
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

    fn update(may: May) -> HostOperation {
        HostOperation::Update {
            map: 0,
            key: vec![1],
            value: vec![may.bits() as u8],
            may,
        }
    }

    /// As a table that stores all keys answers, and only with places that the design gives.
    #[test]
    fn answers_are_those_of_a_table() {
        let (map, key) = (0, vec![1]);
        let lookup = HostOperation::Lookup {
            map,
            key: key.clone(),
        };
        let delete = HostOperation::Delete { map, key };
        let mut foreign = Foreign::default();
        let places = [
            (delete.clone(), None, Answer::Missing),
            (update(May::REPLACE), None, Answer::Missing),
            (update(May::NOTHING), None, Answer::Refused),
            (update(May::PUT), Some(Answer::Full), Answer::Full),
            (lookup.clone(), None, Answer::Missing),
            (update(May::CREATE), Some(Answer::Done), Answer::Done),
            (update(May::CREATE), None, Answer::Exists),
            (update(May::REPLACE), None, Answer::Done),
            (update(May::PUT), None, Answer::Done),
            (lookup.clone(), None, Answer::Done),
            (delete, Some(Answer::Done), Answer::Done),
            (lookup, None, Answer::Missing),
        ];
        for (number, (operation, place, expected)) in places.into_iter().enumerate() {
            let is_there = foreign.get(0, &[1]).is_some();
            let question = asked(&operation, is_there);
            assert_eq!(
                question == operation,
                place.is_some() || !changes(&operation)
            );
            let given = place.unwrap_or(Answer::Missing);
            let answer = foreign.answer(operation, given).expect("it is right");
            assert_eq!(answer.answer, expected, "operation {number}");
        }
        let error = foreign
            .answer(update(May::PUT), Answer::Missing)
            .expect_err("a defect");
        assert_eq!(error.code(), "foreign-key");
    }

    fn changes(operation: &HostOperation) -> bool {
        !matches!(operation, HostOperation::Lookup { .. })
    }
}
