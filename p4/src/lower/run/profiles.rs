//! Where members and groups of action profiles stand on a device.

use super::{Device, Running};
use crate::interpreter::{Data, Entry, Through};
use crate::lower::control::{row, Written};
use crate::lower::layout::little;
use crate::lower::profiles::LoweredProfile;
use crate::runner::free;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// The places of a profile.
#[derive(Default)]
pub(super) struct Places {
    /// Cells of members, by their numbers.
    members: BTreeMap<u64, u32>,
    groups: BTreeMap<u64, Group>,
    /// The next slot that nobody has.
    next: u32,
    /// Slots are taken from the upper half.
    is_upper: bool,
}

struct Group {
    /// Its cell.
    cell: u32,
    /// Its first slot.
    begin: u32,
    /// The cells of its members.
    members: Vec<u32>,
}

/// The first cell that nobody has.
pub(super) fn free_cell<'c>(taken: impl Iterator<Item = &'c u32>) -> u32 {
    let mut taken: Vec<u64> = taken.copied().map(u64::from).collect();
    taken.sort_unstable();
    free(taken.into_iter()) as u32
}

impl<D: Device> Running<'_, D> {
    /// A member gets an action, a function of the program, in one step; `None`: nobody uses it any more.
    pub(super) fn place_member(
        &mut self,
        profile: usize,
        member: u64,
        action: Option<(usize, Vec<Data>)>,
    ) -> Result<(), String> {
        // One that no table uses is nowhere.
        let Some(made) = self.lowered.profiles.get(&profile) else {
            return Ok(());
        };
        let places = self.places.entry(profile).or_default();
        let Some((action, arguments)) = action else {
            places.members.remove(&member);
            return Ok(());
        };
        let cell = match places.members.get(&member) {
            Some(cell) => *cell,
            None => free_cell(places.members.values()),
        };
        let number = made.actions.iter().position(|function| *function == action);
        let number = number.ok_or("no table has this action")?;
        let row = row(&made.rows, number, &arguments);
        self.device
            .update(made.members, &cell.to_le_bytes(), &row)?;
        places.members.insert(member, cell);
        Ok(())
    }

    /// A group gets members: they are written where nobody looks, and then it changes over in one step. `None`: nobody uses it any more.
    pub(super) fn place_group(
        &mut self,
        profile: usize,
        group: u64,
        members: Option<&[u64]>,
    ) -> Result<(), String> {
        let Some(made) = self.lowered.profiles.get(&profile) else {
            return Ok(());
        };
        let places = self.places.entry(profile).or_default();
        let Some(members) = members else {
            places.groups.remove(&group);
            return Ok(());
        };
        let members: Option<Vec<u32>> = members
            .iter()
            .map(|member| places.members.get(member).copied())
            .collect();
        let members = members.ok_or("a member is not there")?;
        let cell = match places.groups.get(&group) {
            Some(group) => group.cell,
            None => free_cell(places.groups.values().map(|group| &group.cell)),
        };
        let half = self.lowered.program.maps[made.members].max_entries;
        if places.next + members.len() as u32 > half {
            // All others move to the other half, which is free by now.
            places.is_upper = !places.is_upper;
            places.next = 0;
            for (number, other) in &mut places.groups {
                if *number != group {
                    other.begin = places.next + if places.is_upper { half } else { 0 };
                    places.next += other.members.len() as u32;
                    write(&mut self.device, made, other)?;
                }
            }
        }
        let begin = places.next + if places.is_upper { half } else { 0 };
        places.next += members.len() as u32;
        let written = Group {
            cell,
            begin,
            members,
        };
        write(&mut self.device, made, &written)?;
        places.groups.insert(group, written);
        Ok(())
    }

    /// Puts what an entry refers to into its value.
    pub(super) fn refer(
        &self,
        table: usize,
        entry: &Entry,
        written: &mut Written,
    ) -> Result<(), String> {
        let made = &self.lowered.tables[table];
        let Some(profile) = made.profile else {
            return Ok(());
        };
        let lowered = &self.lowered.profiles[&profile];
        let places = self.places.get(&profile);
        let number = match &entry.through {
            Some(Through::Member(member)) => {
                let cell = places.and_then(|places| places.members.get(member));
                cell.map(|cell| lowered.member().of(&BigInt::from(*cell)))
            }
            Some(Through::Group(group)) => {
                let group = places.and_then(|places| places.groups.get(group));
                group.map(|group| {
                    lowered.member().of(&BigInt::from(group.cell))
                        + lowered.is_group().of(&BigInt::from(1))
                })
            }
            None => None,
        };
        let number = number.ok_or("entries of this table go through its action profile")?;
        let at = made.front_bytes() as usize;
        let number = little(&number, lowered.bytes());
        written.value[at..at + number.len()].copy_from_slice(&number);
        Ok(())
    }
}

/// The members of a group, and then where it begins.
fn write(device: &mut impl Device, made: &LoweredProfile, group: &Group) -> Result<(), String> {
    let Some((groups, slots)) = made.groups else {
        return Err("this profile has no groups".into());
    };
    for (slot, member) in (group.begin..).zip(&group.members) {
        let member = little(&BigInt::from(*member), made.bits.div_ceil(8));
        device.update(slots, &slot.to_le_bytes(), &member)?;
    }
    let count = BigInt::from(group.members.len());
    let number = made.begin().of(&BigInt::from(group.begin)) + made.count().of(&count);
    let value = little(&number, (2 * (made.bits + 1)).div_ceil(8));
    device.update(groups, &group.cell.to_le_bytes(), &value)
}

#[cfg(test)]
mod tests {
    use super::free_cell;

    #[test]
    fn the_first_gap_is_taken() {
        assert_eq!(free_cell([].iter()), 0);
        assert_eq!(free_cell([0, 1, 2].iter()), 3);
        assert_eq!(free_cell([3, 0, 1].iter()), 2);
        assert_eq!(free_cell([1].iter()), 0);
    }
}
