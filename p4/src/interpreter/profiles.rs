//! Action profiles and selectors (PSA, sections "Action Profile" and "Action Selector"; P4Runtime 1.4, "ActionProfileMember &
//! ActionProfileGroup"): entries name a member, or a group, of which the hash of the packet chooses one.

use super::bits::Bits;
use super::data::Data;
use super::externs::{held, State};
use super::{Machine, Run, Through};
use crate::typed::{Table, SELECTOR};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What an action profile holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Profile {
    /// Actions, functions of the program, with what they are given.
    pub members: BTreeMap<u64, (usize, Vec<Data>)>,
    /// Members of groups; one with a weight is there several times.
    pub groups: BTreeMap<u64, Vec<u64>>,
}

impl Machine<'_> {
    /// The action of an entry that goes through a profile.
    pub(super) fn action_through(
        &mut self,
        place: usize,
        of: &Table,
        through: &Through,
        keys: &[Data],
    ) -> Run<Option<(usize, Vec<Data>)>> {
        let Some(profile) = self.design.profile(self.program, place) else {
            return Ok(None);
        };
        let member = match *through {
            Through::Member(member) => member,
            Through::Group(group) => {
                let hash = self.hash_of_keys(of, profile, keys)?;
                let held = self.held(profile);
                let Some(members) = held
                    .groups
                    .get(&group)
                    .filter(|members| !members.is_empty())
                else {
                    return Ok(None);
                };
                let at = usize::try_from(hash % BigInt::from(members.len())).unwrap_or(0);
                members[at]
            }
        };
        let Some((function, arguments)) = self.held(profile).members.get(&member).cloned() else {
            return Ok(None);
        };
        let place = of
            .actions
            .iter()
            .position(|listed| listed.action == function);
        Ok(place.map(|place| (place, arguments)))
    }

    fn hash_of_keys(&mut self, of: &Table, profile: usize, keys: &[Data]) -> Run<BigInt> {
        let mut bits = Bits::default();
        for (key, data) in of.keys.iter().zip(keys) {
            if key.kind == SELECTOR {
                bits.push_data(&self.program.types, data, &key.value.of, false);
            }
        }
        let algorithm = self.design.algorithm(self.program, profile);
        let width = u32::try_from(self.design.number(profile, 2)).unwrap_or(0);
        let hash = self.hashed(algorithm, &bits.into_number(), of.span)?;
        Ok(crate::value::wrap(hash, width.max(1), false))
    }

    /// What a profile holds; to be changed.
    pub(super) fn held(&mut self, profile: usize) -> &mut Profile {
        held!(self, profile, State::Profile)
    }

    /// A member gets an action; `None`: it goes.
    pub fn set_member(&mut self, profile: usize, member: u64, action: Option<(usize, Vec<Data>)>) {
        let members = &mut self.held(profile).members;
        match action {
            Some(action) => drop(members.insert(member, action)),
            None => drop(members.remove(&member)),
        }
    }

    /// A group gets members; `None`: it goes.
    pub fn set_group(&mut self, profile: usize, group: u64, members: Option<Vec<u64>>) {
        let groups = &mut self.held(profile).groups;
        match members {
            Some(members) => drop(groups.insert(group, members)),
            None => drop(groups.remove(&group)),
        }
    }
}
