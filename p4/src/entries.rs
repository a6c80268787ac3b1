//! The form of BMv2's command line (its `docs/runtime_CLI.md`), with which operators and examples of many programs fill tables:
//!
//! ```text
//! table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 08:00:00:00:01:11 1
//! table_add acl drop 0x0a000000&&&0xff000000 80->443 => 10
//! table_set_default ipv4_lpm drop
//! register_write counts 5 100
//! ```
//!
//! One command a line; `#` begins a comment.

use crate::commands::{
    lines, short, Argument, Call, Cell, Command, CommandKind, Entry, Key, MirrorTo, Number,
    Pattern, Priority, ProfileChange, Rate, Wrong,
};
use hardpath_diagnostic::{suggest, Diagnostic};
use num_bigint::BigInt;

/// Reads commands. `file`: its name, for messages.
///
/// # Errors
/// `p4-commands`: everything that is wrong with it, a line at most once.
pub fn read(file: &str, text: &str) -> Result<Vec<Command>, Vec<Diagnostic>> {
    lines(file, text, line)
}

/// Each command, and how it is written.
pub const COMMANDS: [(&str, &str); 41] = [
    ("table_add", "TABLE ACTION KEY… => ARGUMENT… [PRIORITY]"),
    ("table_set_default", "TABLE ACTION ARGUMENT…"),
    ("table_reset_default", "TABLE"),
    ("table_modify", "TABLE ACTION ENTRY ARGUMENT…"),
    ("table_delete", "TABLE ENTRY"),
    ("table_set_timeout", "TABLE ENTRY MILLISECONDS"),
    ("table_clear", "TABLE"),
    ("register_read", "REGISTER [INDEX]"),
    ("register_write", "REGISTER INDEX VALUE"),
    ("register_reset", "REGISTER"),
    ("counter_read", "COUNTER INDEX"),
    ("counter_write", "COUNTER INDEX PACKETS BYTES"),
    ("counter_reset", "COUNTER"),
    ("meter_set_rates", "METER INDEX RATE:BURST…"),
    ("meter_array_set_rates", "METER RATE:BURST…"),
    ("meter_get_rates", "METER INDEX"),
    ("act_prof_create_member", "PROFILE ACTION ARGUMENT…"),
    ("act_prof_modify_member", "PROFILE ACTION MEMBER ARGUMENT…"),
    ("act_prof_delete_member", "PROFILE MEMBER"),
    ("act_prof_create_group", "PROFILE"),
    ("act_prof_delete_group", "PROFILE GROUP"),
    ("act_prof_add_member_to_group", "PROFILE MEMBER GROUP"),
    ("act_prof_remove_member_from_group", "PROFILE MEMBER GROUP"),
    ("table_indirect_add", "TABLE KEY… => MEMBER [PRIORITY]"),
    (
        "table_indirect_add_with_group",
        "TABLE KEY… => GROUP [PRIORITY]",
    ),
    (
        "table_indirect_add_member",
        "TABLE KEY… => MEMBER [PRIORITY]",
    ),
    ("table_indirect_delete", "TABLE ENTRY"),
    ("mirroring_add", "SESSION PORT"),
    ("mirroring_add_mc", "SESSION GROUP"),
    ("mirroring_delete", "SESSION"),
    ("mirroring_get", "SESSION"),
    ("mc_mgrp_create", "GROUP"),
    ("mc_mgrp_destroy", "GROUP"),
    ("mc_node_create", "RID PORT… [| LAG…]"),
    ("mc_node_update", "NODE PORT… [| LAG…]"),
    ("mc_node_associate", "GROUP NODE"),
    ("mc_node_dissociate", "GROUP NODE"),
    ("mc_node_destroy", "NODE"),
    ("pvs_add", "SET VALUE"),
    ("pvs_remove", "SET VALUE"),
    ("pvs_clear", "SET"),
];

/// Reads a line.
fn line(text: &str) -> Result<CommandKind, Wrong> {
    let words = words(text);
    let (column, command) = words[0];
    match form(command) {
        Some(form) => run(form, &words),
        None => {
            let message = format!("`{}` is no command", short(command));
            // A line of JSON is nothing that was misspelt.
            if matches!(command.chars().next(), Some('{' | '}' | '[' | ']' | '"')) {
                let help = "write `table_add TABLE ACTION KEY… => ARGUMENT…`: JSON is not read";
                return Err(Wrong::new(column, message).help(help));
            }
            let names = COMMANDS.iter().map(|(name, _)| *name);
            let help = suggest::known(command, names, "commands are", "");
            Err(Wrong::new(column, message).help(help))
        }
    }
}

/// A command, and how it is written; names in any case.
pub(crate) fn form(command: &str) -> Option<(&'static str, &'static str)> {
    let mut all = COMMANDS.into_iter();
    all.find(|(name, _)| name.eq_ignore_ascii_case(command))
}

/// The words of a line, each with its character, from 1.
pub(crate) fn words(line: &str) -> Vec<(u32, &str)> {
    let (mut words, mut begins, mut column) = (Vec::new(), None, 0);
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        column += 1;
        match (character.is_whitespace(), begins) {
            (false, None) => begins = Some((column, at)),
            (true, Some((column, start))) => {
                words.push((column, &line[start..at]));
                begins = None;
            }
            _ => {}
        }
    }
    words
}

/// Reads a command of this form from its words, its own name first.
pub(crate) fn run(
    form: (&'static str, &'static str),
    words: &[(u32, &str)],
) -> Result<CommandKind, Wrong> {
    let mut rest = Rest { form, words, at: 1 };
    let kind = match form.0.split_once('_') {
        Some(("table", _)) => rest.table()?,
        Some(("act", _)) => rest.profile()?,
        Some(("register", _)) => rest.register()?,
        Some(("counter", _)) => rest.counter()?,
        Some(("meter", _)) => rest.meter()?,
        Some(("pvs", _)) => rest.value_set()?,
        _ => rest.copies()?,
    };
    match rest.peek() {
        None => Ok(kind),
        Some((column, word)) => {
            let message = format!("`{}` is one word too much", short(word));
            Err(rest.wrong(column, message))
        }
    }
}

/// The words of a command, and where reading is.
struct Rest<'a> {
    form: (&'static str, &'static str),
    words: &'a [(u32, &'a str)],
    at: usize,
}

impl<'a> Rest<'a> {
    fn peek(&self) -> Option<(u32, &'a str)> {
        self.words.get(self.at).copied()
    }

    fn is_at(&self, word: &str) -> bool {
        self.peek().is_some_and(|(_, next)| next == word)
    }

    fn wrong(&self, column: u32, message: String) -> Wrong {
        let (name, words) = self.form;
        Wrong::new(column, message).help(format!("it is written `{name} {words}`"))
    }

    fn next(&mut self, what: &str) -> Result<(u32, &'a str), Wrong> {
        let Some(word) = self.peek() else {
            let (column, last) = self.words[self.words.len() - 1];
            let behind = column + last.chars().count() as u32;
            return Err(self.wrong(behind, format!("{what} is missing")));
        };
        self.at += 1;
        Ok(word)
    }

    fn name(&mut self, what: &str) -> Result<String, Wrong> {
        let (column, word) = self.next(what)?;
        match word == "=>" {
            true => Err(self.wrong(column, format!("{what} is expected, and there is `=>`"))),
            false => Ok(word.to_owned()),
        }
    }

    fn number(&mut self, what: &str) -> Result<Number, Wrong> {
        let (column, word) = self.next(what)?;
        let number = Number::or_address(word).map_err(|wrong| self.wrong(column, wrong))?;
        match number.is_whole() {
            true => Ok(number),
            false => Err(self.wrong(column, format!("{what} has no `*`"))),
        }
    }

    fn small(&mut self, what: &str) -> Result<u32, Wrong> {
        let (column, word) = self.next(what)?;
        let number = Number::plain(word).ok();
        let small = number.and_then(|number| u32::try_from(number.value).ok());
        small.ok_or_else(|| {
            let message = format!(
                "{what} is a number up to {}, not `{}`",
                u32::MAX,
                short(word)
            );
            self.wrong(column, message)
        })
    }

    fn table(&mut self) -> Result<CommandKind, Wrong> {
        let table = self.name("the table")?;
        Ok(match self.form.0 {
            "table_add" => CommandKind::AddEntry(self.entry(table)?),
            "table_set_default" => {
                let action = self.name("the action")?;
                let action = self.call(action)?;
                CommandKind::SetDefault { table, action }
            }
            "table_modify" => {
                let action = self.name("the action")?;
                let entry = self.small("the entry")?;
                let action = self.call(action)?;
                CommandKind::ModifyEntry {
                    table,
                    entry,
                    action,
                }
            }
            "table_indirect_add" | "table_indirect_add_member" => CommandKind::AddThrough {
                entry: self.entry_of(table, String::new())?,
                is_group: false,
            },
            "table_indirect_add_with_group" => CommandKind::AddThrough {
                entry: self.entry_of(table, String::new())?,
                is_group: true,
            },
            "table_delete" | "table_indirect_delete" => CommandKind::DeleteEntry {
                table,
                entry: self.small("the entry")?,
            },
            "table_set_timeout" => CommandKind::SetTimeout {
                table,
                entry: Cell::Index(Number::of(self.small("the entry")?.into())),
                timeout: u64::from(self.small("the timeout")?) * 1_000_000,
            },
            "table_reset_default" => CommandKind::ResetDefault { table },
            _ => CommandKind::ClearTable { table },
        })
    }

    fn entry(&mut self, table: String) -> Result<Entry, Wrong> {
        let action = self.name("the action")?;
        self.entry_of(table, action)
    }

    fn entry_of(&mut self, table: String, action: String) -> Result<Entry, Wrong> {
        let mut keys = Vec::new();
        while !self.is_at("=>") {
            let (column, word) = self.next("a key or `=>`")?;
            let pattern = pattern(word).map_err(|wrong| self.wrong(column, wrong))?;
            keys.push(Key {
                name: None,
                pattern,
                column,
            });
        }
        Ok(Entry {
            table,
            keys,
            action: self.call(action)?,
            priority: Priority::LastArgument,
            label: None,
        })
    }

    /// Arguments up to the end of the line; `=>` may stand in front of them.
    fn call(&mut self, action: String) -> Result<Call, Wrong> {
        self.at += usize::from(self.is_at("=>"));
        let mut arguments = Vec::new();
        while let Some((column, _)) = self.peek() {
            let value = self.number("an argument")?;
            arguments.push(Argument {
                name: None,
                value,
                column,
            });
        }
        Ok(Call { action, arguments })
    }

    fn profile(&mut self) -> Result<CommandKind, Wrong> {
        let profile = self.name("the action profile")?;
        let change = match self.form.0 {
            "act_prof_create_member" => {
                let action = self.name("the action")?;
                ProfileChange::CreateMember {
                    member: None,
                    action: self.call(action)?,
                }
            }
            "act_prof_modify_member" => {
                let action = self.name("the action")?;
                ProfileChange::ModifyMember {
                    member: self.small("the member")?.into(),
                    action: self.call(action)?,
                }
            }
            "act_prof_delete_member" => ProfileChange::DeleteMember {
                member: self.small("the member")?.into(),
            },
            "act_prof_create_group" => ProfileChange::CreateGroup {
                group: None,
                members: Vec::new(),
            },
            "act_prof_add_member_to_group" => ProfileChange::AddToGroup {
                member: self.small("the member")?.into(),
                group: self.small("the group")?.into(),
            },
            "act_prof_remove_member_from_group" => ProfileChange::RemoveFromGroup {
                member: self.small("the member")?.into(),
                group: self.small("the group")?.into(),
            },
            _ => ProfileChange::DeleteGroup {
                group: self.small("the group")?.into(),
            },
        };
        Ok(CommandKind::Profile { profile, change })
    }

    fn register(&mut self) -> Result<CommandKind, Wrong> {
        let register = self.name("the register")?;
        Ok(match self.form.0 {
            "register_read" => {
                let index = match self.peek() {
                    Some(_) => Some(self.number("the index")?),
                    None => None,
                };
                CommandKind::ReadRegister { register, index }
            }
            "register_write" => CommandKind::WriteRegister {
                register,
                index: self.number("the index")?,
                value: self.number("the value")?,
            },
            _ => CommandKind::ResetRegister { register },
        })
    }

    fn counter(&mut self) -> Result<CommandKind, Wrong> {
        let counter = self.name("the counter")?;
        Ok(match self.form.0 {
            "counter_read" => CommandKind::ReadCounter {
                counter,
                index: self.number("the index")?,
            },
            "counter_write" => CommandKind::WriteCounter {
                counter,
                index: self.number("the index")?,
                packets: self.number("the number of packets")?,
                bytes: self.number("the number of bytes")?,
            },
            _ => CommandKind::ResetCounter { counter },
        })
    }

    fn meter(&mut self) -> Result<CommandKind, Wrong> {
        let meter = self.name("the meter")?;
        let index = match self.form.0 {
            "meter_array_set_rates" => None,
            _ => Some(self.number("the index")?),
        };
        if let ("meter_get_rates", Some(index)) = (self.form.0, &index) {
            let index = index.clone();
            return Ok(CommandKind::ReadRates { meter, index });
        }
        let mut rates = vec![self.rate()?];
        while self.peek().is_some() {
            rates.push(self.rate()?);
        }
        Ok(CommandKind::SetRates {
            meter,
            index,
            rates,
        })
    }

    fn rate(&mut self) -> Result<Rate, Wrong> {
        let (column, word) = self.next("a rate")?;
        let parts = word.split_once(':');
        let read = parts.and_then(|(rate, burst)| {
            let is_number = rate.parse::<f64>().is_ok_and(|rate| rate.is_finite())
                && rate
                    .bytes()
                    .all(|digit| digit.is_ascii_digit() || digit == b'.');
            let burst = burst.parse().ok()?;
            let rate = rate.to_owned();
            is_number.then_some(Rate { rate, burst })
        });
        read.ok_or_else(|| {
            let message = format!(
                "a rate and a burst are expected (0.00002:5), and there is `{}`",
                short(word)
            );
            self.wrong(column, message)
        })
    }

    fn value_set(&mut self) -> Result<CommandKind, Wrong> {
        let set = self.name("the value set")?;
        if self.form.0 == "pvs_clear" {
            return Ok(CommandKind::ClearSet { set });
        }
        let (column, word) = self.next("the value")?;
        let value = pattern(word).map_err(|wrong| self.wrong(column, wrong))?;
        Ok(match self.form.0 {
            "pvs_add" => CommandKind::AddToSet { set, value },
            _ => CommandKind::RemoveFromSet { set, value },
        })
    }

    /// Clones and multicast.
    fn copies(&mut self) -> Result<CommandKind, Wrong> {
        let (session, group, node) = ("the session", "the group", "the node");
        Ok(match self.form.0 {
            "mirroring_add" => CommandKind::AddMirror {
                session: self.small(session)?,
                to: MirrorTo::Port(self.small("the port")?),
            },
            "mirroring_add_mc" => CommandKind::AddMirror {
                session: self.small(session)?,
                to: MirrorTo::Group(self.small(group)?),
            },
            "mirroring_delete" => CommandKind::DeleteMirror {
                session: self.small(session)?,
            },
            "mirroring_get" => CommandKind::ReadMirror {
                session: self.small(session)?,
            },
            "mc_mgrp_create" => CommandKind::CreateGroup {
                group: self.small(group)?,
            },
            "mc_mgrp_destroy" => CommandKind::DestroyGroup {
                group: self.small(group)?,
            },
            "mc_node_create" => {
                let rid = self.small("the number of the copies")?;
                let (ports, lags) = self.ports()?;
                CommandKind::CreateNode { rid, ports, lags }
            }
            "mc_node_update" => {
                let node = self.small(node)?;
                let (ports, lags) = self.ports()?;
                CommandKind::UpdateNode { node, ports, lags }
            }
            "mc_node_associate" => CommandKind::AssociateNode {
                group: self.small(group)?,
                node: self.small(node)?,
            },
            "mc_node_dissociate" => CommandKind::DissociateNode {
                group: self.small(group)?,
                node: self.small(node)?,
            },
            _ => CommandKind::DestroyNode {
                node: self.small(node)?,
            },
        })
    }

    fn ports(&mut self) -> Result<(Vec<u32>, Vec<u32>), Wrong> {
        let (mut ports, mut lags) = (Vec::new(), Vec::new());
        while self.peek().is_some() && !self.is_at("|") {
            ports.push(self.small("a port")?);
        }
        self.at += usize::from(self.is_at("|"));
        while self.peek().is_some() {
            lags.push(self.small("a group of ports")?);
        }
        Ok((ports, lags))
    }
}

/// What a key has to be: `v`, `v&&&m`, `v/len`, `lo->hi`; `*` for anything.
pub(crate) fn pattern(text: &str) -> Result<Pattern, String> {
    let whole = |text: &str| match Number::or_address(text)? {
        number if number.is_whole() => Ok(number),
        _ => Err(format!("`*` cannot stand in `{}` here", short(text))),
    };
    if matches!(text, "*" | "_") {
        return Ok(Pattern::Any);
    }
    if let Some((value, mask)) = text.split_once("&&&") {
        return Ok(Pattern::Masked(whole(value)?, whole(mask)?));
    }
    if let Some((lowest, highest)) = text.split_once("->") {
        let (lowest, highest) = (whole(lowest)?, whole(highest)?);
        return match lowest.value <= highest.value {
            true => Ok(Pattern::Range(lowest, highest)),
            false => Err(format!("the range `{}` ends before it begins", short(text))),
        };
    }
    if let Some((value, length)) = text.split_once('/') {
        let value = whole(value)?;
        let read = Number::plain(length).ok();
        let read = read.filter(|length| length.value <= BigInt::from(MOST_BITS));
        let Some(length) = read.and_then(|length| u32::try_from(length.value).ok()) else {
            let message = "a prefix's length is a number up to";
            return Err(format!("{message} {MOST_BITS}, not `{}`", short(length)));
        };
        return Ok(Pattern::Prefix(value, length));
    }
    let words = ["false", "true"];
    if let Some(value) = words.iter().position(|word| *word == text) {
        return Number::plain(&value.to_string()).map(Pattern::Value);
    }
    Number::or_address(text).map(Pattern::Value)
}

/// No key is wider.
const MOST_BITS: u32 = 1 << 14;
