//! Entries of tables and value sets: which one is meant, and what becomes of it.

use super::known::{Part, Table};
use super::profiles::Does;
use super::{Node, Read, Reader};
use crate::commands::{CommandKind, Entry, Found, Key, Number, Pattern, Priority};
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;

impl Reader<'_> {
    /// What an update does with an entry (P4Runtime 1.4, section "TableEntry").
    pub(super) fn table_entry(
        &self,
        kind: &str,
        at: (u32, u32),
        of: Node,
    ) -> Read<Vec<CommandKind>> {
        let is_constant = self.flag(of, "is_const")?;
        match kind {
            // The program has it: it is listed for those who want to know.
            "INSERT" if is_constant => Ok(Vec::new()),
            "INSERT" => {
                let mut all = vec![self.entry(of)?];
                all.extend(self.metered(of)?);
                if of.field("idle_timeout_ns").is_some() {
                    all.push(self.timed(of)?);
                }
                Ok(all)
            }
            "MODIFY" | "DELETE" if is_constant => {
                self.wrong(of.at, "an entry that is constant stays as it is")
            }
            "MODIFY" => {
                let table = self.table(of)?;
                let entry = self.found(table, of)?;
                let mut all = vec![match self.inner(of, "action")? {
                    Some(action) => self.table_action(table, action)?.instead(entry),
                    None => CommandKind::ModifyFound {
                        entry,
                        action: None,
                    },
                }];
                all.extend(self.metered(of)?);
                // An entry that says no timeout has none from here on.
                if table.notifies || of.field("idle_timeout_ns").is_some() {
                    all.push(self.timed(of)?);
                }
                Ok(all)
            }
            // Nothing but its keys counts.
            "DELETE" => Ok(vec![CommandKind::DeleteFound {
                entry: self.found(self.table(of)?, of)?,
            }]),
            kind => {
                let message = format!("an update inserts, modifies or deletes, and this is {kind}");
                let help = "write `type: INSERT`, `MODIFY` or `DELETE`";
                Err(self.error(at, message).help(help))
            }
        }
    }

    /// The rates of an entry's meter, where it says some.
    fn metered(&self, of: Node) -> Read<Option<CommandKind>> {
        let rates = self.rates(of, "meter_config")?;
        Ok(match rates.is_empty() {
            true => None,
            false => Some(CommandKind::SetFoundRates {
                entry: self.found(self.table(of)?, of)?,
                rates,
            }),
        })
    }

    /// The timeout of an entry (P4Runtime 1.4, section "Idle-timeout").
    fn timed(&self, of: Node) -> Read<CommandKind> {
        let (timeout, _) = self.number(of, "idle_timeout_ns")?;
        Ok(CommandKind::SetFoundTimeout {
            entry: self.found(self.table(of)?, of)?,
            timeout,
        })
    }

    fn entry(&self, of: Node) -> Read<CommandKind> {
        let table = self.table(of)?;
        if table.keys.is_empty() {
            let message = format!("`{}` has no keys, and so no entries", table.name);
            let help = "its default action is `type: MODIFY` with `is_default_action: true`";
            return Err(self.error(of.at, message).help(help));
        }
        let keys = self.keys(table, of)?;
        let priority = self.priority(table, of)?;
        let priority = match table.takes_priorities() {
            true => Priority::LargerWins(priority),
            false => Priority::None,
        };
        let Some(action) = self.inner(of, "action")? else {
            return self.wrong(of.at, "an entry has an `action`");
        };
        let does = self.table_action(table, action)?;
        let entry = Entry {
            table: table.name.clone(),
            keys,
            action: does.call(),
            priority,
            label: None,
        };
        Ok(match does {
            Does::Action(_) => CommandKind::AddEntry(entry),
            Does::Through(_, is_group) => CommandKind::AddThrough { entry, is_group },
            Does::Actions(actions) => CommandKind::AddActions { entry, actions },
        })
    }

    /// An entry that is there, by its keys and its priority.
    pub(super) fn found(&self, table: &Table, of: Node) -> Read<Found> {
        Ok(Found {
            table: table.name.clone(),
            keys: self.keys(table, of)?,
            priority: self.priority(table, of)?,
        })
    }

    /// Of tables without priorities it is 0.
    fn priority(&self, table: &Table, of: Node) -> Read<BigInt> {
        let (priority, at) = self.number(of, "priority")?;
        match (table.takes_priorities(), priority) {
            (true, 0) => {
                let message = format!("an entry of `{}` has a priority", table.name);
                let help = "write `priority: 1`, or more: the larger one wins";
                Err(self.error(of.at, message).help(help))
            }
            (false, 1..) => {
                let message = format!("entries of `{}` have no priorities", table.name);
                self.wrong(at, message)
            }
            (_, priority) => Ok(BigInt::from(priority)),
        }
    }

    /// All values of a value set (P4Runtime 1.4, section "ValueSetEntry").
    pub(super) fn value_set(&self, of: Node) -> Read<Vec<CommandKind>> {
        self.only(of, "an entry of a value set", &["value_set_id", "members"])?;
        let known = ("value_set_id", "value set");
        let set = self.by_id(&self.known.value_sets, of, known, |set| &set.name)?;
        let mut all = vec![CommandKind::ClearSet {
            set: set.name.clone(),
        }];
        let members = of.fields.iter().filter(|field| field.name == "members");
        for (at, field) in members.enumerate() {
            if at as u64 >= set.size {
                let message = format!("`{}` holds {} values", set.name, set.size);
                return self.wrong(field.at, message);
            }
            let [key] = &set.keys[..] else {
                let message = "value sets of several fields are not there yet";
                let error = Diagnostic::refused("p4-unsupported", message);
                return Err(error.at(self.place(of.at)));
            };
            let member = self.message(field)?;
            let [found] = member.fields else {
                return self.wrong(field.at, "a value has one `match`");
            };
            self.only(member, "a value", &["match"])?;
            all.push(CommandKind::AddToSet {
                set: set.name.clone(),
                value: self.pattern(key, self.message(found)?)?,
            });
        }
        Ok(all)
    }

    /// In the order of the table's keys.
    fn keys(&self, table: &Table, of: Node) -> Read<Vec<Key>> {
        let mut given = Vec::new();
        for field in of.fields.iter().filter(|field| field.name == "match") {
            let found = self.message(field)?;
            let (id, at) = self.number(found, "field_id")?;
            let Some(place) = table.keys.iter().position(|key| key.id == id) else {
                let keys = table
                    .keys
                    .iter()
                    .map(|key| format!("{} ({})", key.id, key.name));
                let keys: Vec<String> = keys.collect();
                let error = self.error(at, format!("`{}` has no key {id}", table.name));
                return Err(error.help(format!("keys are: {}", keys.join(", "))));
            };
            if given.iter().any(|(other, _)| *other == place) {
                let message = format!("the key `{}` is given twice", table.keys[place].name);
                return self.wrong(field.at, message);
            }
            given.push((place, (found, field.at)));
        }
        let mut keys = Vec::new();
        for (place, key) in table.keys.iter().enumerate() {
            let found = given.iter().find(|(other, _)| *other == place);
            let (pattern, at) = match found {
                Some((_, (found, at))) => (self.pattern(key, *found)?, *at),
                None if key.kind == "exact" => {
                    let message = format!("the key `{}` is exact: it is missing", key.name);
                    return self.wrong(of.at, message);
                }
                None => (Pattern::Any, of.at),
            };
            keys.push(Key {
                name: None,
                pattern,
                column: at.1,
            });
        }
        Ok(keys)
    }

    fn pattern(&self, key: &Part, of: Node) -> Read<Pattern> {
        let mut others = of.fields.iter().filter(|field| field.name != "field_id");
        let Some(field) = others.next() else {
            return self.wrong(of.at, format!("what `{}` is to be is missing", key.name));
        };
        if field.name != key.kind {
            let message = format!("`{}` is {}, not {}", key.name, key.kind, field.name);
            return self.wrong(field.at, message);
        }
        if key.width == 0 {
            let message = format!("`{}` has no numbers", key.name);
            return self.wrong(field.at, message);
        }
        let inner = self.message(field)?;
        let named = format!("`{}`", key.name);
        let value = |name: &str| self.value(inner, name, (&named, key.width));
        match key.kind.as_str() {
            "exact" | "optional" => Ok(Pattern::Value(Number::of(value("value")?))),
            "lpm" => {
                let (length, at) = self.number(inner, "prefix_len")?;
                let (value, width) = (value("value")?, u64::from(key.width));
                if length == 0 || length > width {
                    let message = format!("a prefix of {named} has 1 to {width} bits");
                    let help = "leave the key out where every value is meant";
                    return Err(self.error(at, message).help(help));
                }
                if value.trailing_zeros().unwrap_or(width) < width - length {
                    return self.wrong(field.at, "bits behind the prefix are zeros");
                }
                Ok(Pattern::Prefix(Number::of(value), length as u32))
            }
            "ternary" => {
                let (value, mask) = (value("value")?, value("mask")?);
                if &value & &mask != value {
                    return self.wrong(field.at, "bits that do not count are zeros");
                }
                Ok(Pattern::Masked(Number::of(value), Number::of(mask)))
            }
            "range" => {
                let (low, high) = (value("low")?, value("high")?);
                if low > high {
                    return self.wrong(field.at, format!("nothing is between {low} and {high}"));
                }
                Ok(Pattern::Range(Number::of(low), Number::of(high)))
            }
            kind => self.wrong(field.at, format!("keys of the kind `{kind}` are not there")),
        }
    }
}
