//! Members and groups of action profiles (P4Runtime 1.4, section "ActionProfileMember & ActionProfileGroup"), and entries that name them.

use super::known::Table;
use super::{Node, Read, Reader};
use crate::commands::{Argument, Call, CommandKind, Found, Number, ProfileChange};

/// What an entry does.
pub(super) enum Does {
    /// An action.
    Action(Call),
    /// What a member or a group does, by its number; whether it is a group.
    Through(u64, bool),
    /// One of these actions, by weight.
    Actions(Vec<(Call, u64)>),
}

impl Does {
    /// A member, a group or several actions stand in the text as an action without a name, whose argument is the number.
    pub(super) fn call(&self) -> Call {
        match self {
            Does::Action(call) => call.clone(),
            Does::Through(number, _) => Call {
                action: String::new(),
                arguments: vec![Argument {
                    name: None,
                    value: Number::of((*number).into()),
                    column: 1,
                }],
            },
            Does::Actions(_) => Call {
                action: String::new(),
                arguments: Vec::new(),
            },
        }
    }

    /// An entry that is there does this from now on.
    pub(super) fn instead(self, entry: Found) -> CommandKind {
        match self {
            Does::Action(call) => CommandKind::ModifyFound {
                entry,
                action: Some(call),
            },
            Does::Through(number, is_group) => CommandKind::ModifyThrough {
                entry,
                number,
                is_group,
            },
            Does::Actions(actions) => CommandKind::ModifyActions { entry, actions },
        }
    }
}

impl Reader<'_> {
    /// A `TableAction`.
    pub(super) fn table_action(&self, table: &Table, of: Node) -> Read<Does> {
        let [field] = of.fields else {
            return self.wrong(of.at, "an entry does one thing: `action { action { … } }`");
        };
        match field.name.as_str() {
            "action_profile_member_id" => Ok(Does::Through(
                self.number(of, "action_profile_member_id")?.0,
                false,
            )),
            "action_profile_group_id" => Ok(Does::Through(
                self.number(of, "action_profile_group_id")?.0,
                true,
            )),
            "action_profile_action_set" => {
                let set = self.message(field)?;
                self.only(set, "a set of actions", &["action_profile_actions"])?;
                let mut actions = Vec::new();
                for field in set.fields {
                    let one = self.message(field)?;
                    self.only(
                        one,
                        "an action of a set",
                        &["action", "weight", "watch_port", "watch"],
                    )?;
                    actions.push((self.action(table, one)?, self.weight(one)?));
                }
                Ok(Does::Actions(actions))
            }
            _ => Ok(Does::Action(self.action(table, of)?)),
        }
    }

    fn weight(&self, of: Node) -> Read<u64> {
        match self.number(of, "weight")? {
            (0, _) if of.field("weight").is_none() => Ok(1),
            (weight @ 1..=65_535, _) => Ok(weight),
            (_, at) => self.wrong(at, "a weight is 1 to 65,535"),
        }
    }

    fn profile_name(&self, of: Node) -> Read<String> {
        let known = ("action_profile_id", "action profile");
        self.by_id(&self.known.profiles, of, known, |name| name)
            .cloned()
    }

    pub(super) fn member(&self, kind: &str, of: Node) -> Read<CommandKind> {
        self.only(
            of,
            "a member",
            &["action_profile_id", "member_id", "action"],
        )?;
        let member = self.number(of, "member_id")?.0;
        let action = || match self.inner(of, "action")? {
            Some(action) => self.any_action(action),
            None => self.wrong(of.at, "a member has an `action`"),
        };
        let change = match kind {
            "INSERT" => ProfileChange::CreateMember {
                member: Some(member),
                action: action()?,
            },
            "MODIFY" => ProfileChange::ModifyMember {
                member,
                action: action()?,
            },
            "DELETE" => ProfileChange::DeleteMember { member },
            kind => return self.wrong(of.at, unknown(kind)),
        };
        let profile = self.profile_name(of)?;
        Ok(CommandKind::Profile { profile, change })
    }

    pub(super) fn group(&self, kind: &str, of: Node) -> Read<CommandKind> {
        let known = ["action_profile_id", "group_id", "members", "max_size"];
        self.only(of, "a group", &known)?;
        let group = self.number(of, "group_id")?.0;
        let mut members = Vec::new();
        for field in of.fields.iter().filter(|field| field.name == "members") {
            let one = self.message(field)?;
            self.only(
                one,
                "a member of a group",
                &["member_id", "weight", "watch_port", "watch"],
            )?;
            let (member, weight) = (self.number(one, "member_id")?.0, self.weight(one)?);
            members.extend((0..weight).map(|_| member));
        }
        let change = match kind {
            "INSERT" => ProfileChange::CreateGroup {
                group: Some(group),
                members,
            },
            "MODIFY" => ProfileChange::SetGroup { group, members },
            "DELETE" => ProfileChange::DeleteGroup { group },
            kind => return self.wrong(of.at, unknown(kind)),
        };
        let profile = self.profile_name(of)?;
        Ok(CommandKind::Profile { profile, change })
    }
}

fn unknown(kind: &str) -> String {
    format!("an update inserts, modifies or deletes, and this is {kind}")
}
