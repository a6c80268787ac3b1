//! Members and groups of action profiles (P4Runtime 1.4, section "ActionProfileMember & ActionProfileGroup"), as commands make them: what is
//! not allowed is refused here, before any engine hears of it.

use super::{wrong, Engine, Run};
use crate::commands::{Call, ProfileChange};
use crate::design::PROFILES;
use crate::interpreter::{Data, Entry, Through};
use hardpath_diagnostic::{Diagnostic, Place};
use std::collections::BTreeMap;

/// An action, a function of the program, and what it is given.
type Row = (usize, Vec<Data>);

/// What an action profile holds.
#[derive(Default)]
pub(super) struct Profile {
    members: BTreeMap<u64, Row>,
    groups: BTreeMap<u64, Vec<u64>>,
}

/// Numbers of members and groups from here on are given to those that have none of their own.
const OWN: u64 = 1 << 32;

/// The first number that nobody has, of those that somebody has, in order.
pub(crate) fn free(taken: impl Iterator<Item = u64>) -> u64 {
    let mut first = 0;
    for taken in taken {
        if taken != first {
            break;
        }
        first += 1;
    }
    first
}

impl<E: Engine> Run<'_, E> {
    /// The object of an action profile, by its name.
    pub(super) fn profile(&mut self, written: &str, place: &Place) -> Result<usize, Diagnostic> {
        self.names.object(&PROFILES, written, place)
    }

    /// A member gets an action; `None` for its number: the first one that is free, from 0.
    pub(super) fn create_member(
        &mut self,
        profile: usize,
        member: Option<u64>,
        row: Row,
        place: &Place,
    ) -> Result<u64, Diagnostic> {
        let held = self.profiles.entry(profile).or_default();
        let member = member.unwrap_or_else(|| free(held.members.keys().copied()));
        if held.members.contains_key(&member) {
            return Err(wrong(place, format!("there is a member {member} already")));
        }
        let room = self.design.members(self.program, profile);
        if held.members.len() as u64 >= room {
            let name = &self.design.objects[profile].name;
            let message = format!("`{name}` has room for {room} members");
            return Err(wrong(place, message).help("say a larger size in the program"));
        }
        let put = self.engine.put_member(profile, member, Some(row.clone()));
        put.map_err(|why| wrong(place, why))?;
        held.members.insert(member, row);
        Ok(member)
    }

    /// A member gets another action.
    pub(super) fn modify_member(
        &mut self,
        profile: usize,
        member: u64,
        action: &Call,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        let row = self.member_action(profile, action, place)?;
        self.known_member(profile, member, place)?;
        let put = self.engine.put_member(profile, member, Some(row.clone()));
        put.map_err(|why| wrong(place, why))?;
        let held = self.profiles.entry(profile).or_default();
        held.members.insert(member, row);
        Ok(())
    }

    /// A member goes, which nobody uses.
    pub(super) fn delete_member(
        &mut self,
        profile: usize,
        member: u64,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        self.known_member(profile, member, place)?;
        self.unused(profile, &Through::Member(member), place)?;
        let held = self.profiles.entry(profile).or_default();
        let mut groups = held.groups.iter();
        if let Some((group, _)) = groups.find(|(_, members)| members.contains(&member)) {
            let message = format!("the group {group} has the member {member}");
            return Err(wrong(place, message).help("take it out of the group first"));
        }
        held.members.remove(&member);
        let gone = self.engine.put_member(profile, member, None);
        gone.map_err(|why| wrong(place, why))
    }

    /// A group gets these members, in one step; `None` for its number: the first one that is free, from 0.
    pub(super) fn create_group(
        &mut self,
        profile: usize,
        group: Option<u64>,
        members: Vec<u64>,
        place: &Place,
    ) -> Result<u64, Diagnostic> {
        if !self.design.selects(self.program, profile) {
            let name = &self.design.objects[profile].name;
            return Err(wrong(
                place,
                format!("`{name}` is no selector: it has no groups"),
            ));
        }
        let held = self.profiles.entry(profile).or_default();
        let group = group.unwrap_or_else(|| free(held.groups.keys().copied()));
        if held.groups.contains_key(&group) {
            return Err(wrong(place, format!("there is a group {group} already")));
        }
        let room = self.design.members(self.program, profile);
        if held.groups.len() as u64 >= room {
            let name = &self.design.objects[profile].name;
            return Err(wrong(place, format!("`{name}` has room for {room} groups")));
        }
        held.groups.insert(group, Vec::new());
        let set = self.set_group(profile, group, members, place);
        if set.is_err() {
            let held = self.profiles.entry(profile).or_default();
            held.groups.remove(&group);
        }
        set.map(|()| group)
    }

    /// A group gets these members in place of those that it has, in one step; one with a weight stands there so many times.
    pub(super) fn set_group(
        &mut self,
        profile: usize,
        group: u64,
        members: Vec<u64>,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        self.known_group(profile, group, place)?;
        for member in &members {
            self.known_member(profile, *member, place)?;
        }
        if members.is_empty() {
            self.unused(profile, &Through::Group(group), place)?;
        }
        let most = self.design.largest_group(self.program, profile);
        if members.len() as u64 > most {
            let message = format!(
                "a group has at most {most} members, and this one would have {}",
                members.len()
            );
            return Err(wrong(place, message));
        }
        let room = self.design.members(self.program, profile);
        let held = self.profiles.entry(profile).or_default();
        let others = held.groups.iter().filter(|(other, _)| **other != group);
        let others: usize = others.map(|(_, members)| members.len()).sum();
        if (others + members.len()) as u64 > room {
            let message = format!("all groups together have at most {room} members");
            return Err(wrong(place, message));
        }
        let put = self.engine.put_group(profile, group, Some(&members));
        put.map_err(|why| wrong(place, why))?;
        held.groups.insert(group, members);
        Ok(())
    }

    /// A group goes, which no entry uses.
    pub(super) fn delete_group(
        &mut self,
        profile: usize,
        group: u64,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        self.known_group(profile, group, place)?;
        self.unused(profile, &Through::Group(group), place)?;
        let held = self.profiles.entry(profile).or_default();
        held.groups.remove(&group);
        let gone = self.engine.put_group(profile, group, None);
        gone.map_err(|why| wrong(place, why))
    }

    /// The members of a group.
    pub(super) fn group(
        &mut self,
        profile: usize,
        group: u64,
        place: &Place,
    ) -> Result<Vec<u64>, Diagnostic> {
        self.known_group(profile, group, place)?;
        Ok(self.profiles[&profile].groups[&group].clone())
    }

    /// What an entry of a table is to choose its action from.
    pub(super) fn may_go_through(
        &mut self,
        table: usize,
        through: &Through,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        let Some(profile) = self.design.profile(self.program, table) else {
            let name = &self.design.tables[table].name;
            let message = format!("`{name}` has no action profile: its entries have actions");
            return Err(wrong(place, message));
        };
        match *through {
            Through::Member(member) => {
                self.known_member(profile, member, place)?;
                self.has_actions(table, profile, &[member], place)
            }
            Through::Group(group) => {
                let members = self.group(profile, group, place)?;
                if members.is_empty() {
                    let message = format!("the group {group} has no members");
                    return Err(wrong(place, message).help("give it members before entries use it"));
                }
                self.has_actions(table, profile, &members, place)
            }
        }
    }

    /// Actions of an entry alone become members of nobody else, and with weights a group.
    pub(super) fn own_actions(
        &mut self,
        table: usize,
        actions: &[(Call, u64)],
        place: &Place,
    ) -> Result<Through, Diagnostic> {
        let Some(profile) = self.design.profile(self.program, table) else {
            let name = &self.design.tables[table].name;
            return Err(wrong(place, format!("`{name}` has no action profile")));
        };
        let mut members = Vec::new();
        for (action, weight) in actions {
            let row = self.member_action(profile, action, place)?;
            let member = self.own_member(profile, row, place)?;
            members.extend((0..*weight).map(|_| member));
        }
        self.own += 1;
        let group = self.create_group(profile, Some(OWN + self.own), members, place)?;
        Ok(Through::Group(group))
    }

    /// A member of an entry alone.
    fn own_member(&mut self, profile: usize, row: Row, place: &Place) -> Result<u64, Diagnostic> {
        self.own += 1;
        self.create_member(profile, Some(OWN + self.own), row, place)
    }

    /// What is done with a profile.
    pub(super) fn change_profile(
        &mut self,
        profile: usize,
        change: &ProfileChange,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        match change {
            ProfileChange::CreateMember { member, action } => {
                let row = self.member_action(profile, action, place)?;
                self.create_member(profile, *member, row, place).map(drop)
            }
            ProfileChange::ModifyMember { member, action } => {
                self.modify_member(profile, *member, action, place)
            }
            ProfileChange::DeleteMember { member } => self.delete_member(profile, *member, place),
            ProfileChange::CreateGroup { group, members } => {
                let members = members.clone();
                self.create_group(profile, *group, members, place).map(drop)
            }
            ProfileChange::SetGroup { group, members } => {
                self.set_group(profile, *group, members.clone(), place)
            }
            ProfileChange::AddToGroup { member, group } => {
                let mut members = self.group(profile, *group, place)?;
                if members.contains(member) {
                    let message = format!("the group {group} has the member {member} already");
                    return Err(wrong(place, message));
                }
                members.push(*member);
                // As BMv2 has them.
                members.sort_unstable();
                self.set_group(profile, *group, members, place)
            }
            ProfileChange::RemoveFromGroup { member, group } => {
                let mut members = self.group(profile, *group, place)?;
                if !members.contains(member) {
                    let message = format!("the group {group} does not have the member {member}");
                    return Err(wrong(place, message));
                }
                members.retain(|one| one != member);
                self.set_group(profile, *group, members, place)
            }
            ProfileChange::DeleteGroup { group } => self.delete_group(profile, *group, place),
        }
    }

    /// An entry of a table with a profile that has an action itself gets a member of its own.
    pub(super) fn with_own_action(
        &mut self,
        table: usize,
        mut entry: Entry,
        place: &Place,
    ) -> Result<Entry, Diagnostic> {
        if let Some(profile) = self.design.profile(self.program, table) {
            let function = self.of_table(table).actions[entry.action].action;
            let row = (function, entry.arguments.clone());
            let member = self.own_member(profile, row, place)?;
            entry.through = Some(Through::Member(member));
        }
        Ok(entry)
    }

    /// What belonged to an entry alone goes with it.
    pub(super) fn forget_own(
        &mut self,
        table: usize,
        through: Option<Through>,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        let Some(profile) = self.design.profile(self.program, table) else {
            return Ok(());
        };
        match through {
            Some(Through::Member(member)) if member >= OWN => {
                self.delete_member(profile, member, place)
            }
            Some(Through::Group(group)) if group >= OWN => {
                let mut members = self.group(profile, group, place)?;
                self.delete_group(profile, group, place)?;
                members.dedup();
                for member in members {
                    self.delete_member(profile, member, place)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn member_action(
        &mut self,
        profile: usize,
        action: &Call,
        place: &Place,
    ) -> Result<Row, Diagnostic> {
        let mut told = None;
        for table in self.design.users(self.program, profile) {
            match self.names.called(table, action, place) {
                Ok((at, arguments)) => {
                    return Ok((self.of_table(table).actions[at].action, arguments));
                }
                Err(error) => {
                    told.get_or_insert(error);
                }
            }
        }
        Err(told.unwrap_or_else(|| {
            let name = &self.design.objects[profile].name;
            wrong(place, format!("no table has the action profile `{name}`"))
        }))
    }

    /// A table has the actions of some members.
    fn has_actions(
        &self,
        table: usize,
        profile: usize,
        members: &[u64],
        place: &Place,
    ) -> Result<(), Diagnostic> {
        let of = self.of_table(table);
        for member in members {
            let (function, _) = &self.profiles[&profile].members[member];
            if of.actions.iter().all(|listed| listed.action != *function) {
                let name = &self.program.functions[*function].name;
                let message = format!(
                    "the member {member} does `{name}`, which `{}` does not have",
                    of.name
                );
                return Err(wrong(place, message));
            }
        }
        Ok(())
    }

    fn known_member(&self, profile: usize, member: u64, place: &Place) -> Result<(), Diagnostic> {
        let held = self.profiles.get(&profile);
        match held.is_some_and(|held| held.members.contains_key(&member)) {
            true => Ok(()),
            false => Err(wrong(place, format!("there is no member {member}"))),
        }
    }

    fn known_group(&self, profile: usize, group: u64, place: &Place) -> Result<(), Diagnostic> {
        let held = self.profiles.get(&profile);
        match held.is_some_and(|held| held.groups.contains_key(&group)) {
            true => Ok(()),
            false => Err(wrong(place, format!("there is no group {group}"))),
        }
    }

    /// No entry uses it.
    fn unused(&self, profile: usize, through: &Through, place: &Place) -> Result<(), Diagnostic> {
        for (number, entries) in self.tables.iter().enumerate() {
            let is_its = self.design.profile(self.program, number) == Some(profile);
            if is_its
                && entries
                    .iter()
                    .any(|entry| entry.through.as_ref() == Some(through))
            {
                let name = &self.design.tables[number].name;
                let message = format!("an entry of `{name}` uses {through}");
                return Err(wrong(place, message).help("take or change the entry first"));
            }
        }
        Ok(())
    }
}
