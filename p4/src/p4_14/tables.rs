//! Tables (§11).

use super::names::Kind;
use super::stateful::size_of;
use super::translator::{Scope, Told, Translator};
use super::tree::{ExpressionKind, Index, Read, Reference, Table};
use super::values::{literal, Word};
use super::writer::Writer;
use crate::ast::Name;
use num_bigint::BigInt;

const KINDS: [&str; 5] = ["exact", "ternary", "lpm", "range", "valid"];

impl<'a> Translator<'a> {
    /// The actions of a table, or of its profile.
    pub(super) fn actions_of(&mut self, table: &'a Table) -> Result<&'a [Name], Told> {
        let Some(profile) = &table.profile else {
            return Ok(&table.actions);
        };
        let known = self.known;
        let profile = self.found(known.profiles.get(&profile.text), |this| {
            known.profiles.unknown(this.sources, profile)
        })?;
        match table.actions.is_empty() {
            true => Ok(&profile.actions),
            false => self.error(
                table.name.span,
                "a table has actions or a profile, not both (§11)",
            ),
        }
    }

    /// What an action is called in a table: one with a direct meter has actions of its own.
    pub(super) fn action_name(&mut self, action: &str, table: &Table) -> String {
        match self.direct(table).meter {
            None => self.names.of(Kind::Action, action),
            // No action of a program has such a name.
            Some(_) => {
                let key = format!("{action}\n{}", table.name.text);
                match self.metered.get(&key) {
                    Some(name) => name.clone(),
                    None => {
                        let name = self.names.fresh(&format!("{action}_{}", table.name.text));
                        self.metered.insert(key, name.clone());
                        name
                    }
                }
            }
        }
    }

    /// Writes a table; its direct counters and meters, and its own actions, stand in front of it.
    pub(super) fn table(&mut self, table: &'a Table, writer: &mut Writer) -> Result<(), Told> {
        let direct = self.direct(table);
        let mut properties = self.write_direct(&direct, writer);
        let mut actions: Vec<Name> = Vec::new();
        let default = table.default.iter().map(|default| &default.action);
        for action in self.actions_of(table)?.iter().chain(default) {
            if actions.iter().all(|known| known.text != action.text) {
                actions.push(action.clone());
            }
        }
        if let Some(meter) = direct.meter {
            let first = self.metered(meter)?;
            for action in &actions {
                let name = self.action_name(&action.text, table);
                let _ = self.action(action, &name, &first, writer);
            }
        }
        let name = self.names.of(Kind::Table, &table.name.text);
        writer.open(&format!("@name(\".{}\") table {name} {{", table.name.text));
        self.keys(table, writer);
        writer.open("actions = {");
        for action in &actions {
            let name = self.action_name(&action.text, table);
            writer.line(&format!("{name};"));
        }
        let default = self.default_action(table)?;
        if default.is_none() {
            writer.line("@defaultonly NoAction;");
        }
        writer.close();
        if let Some(size) = size_of(table) {
            match self.number(size, 0, u32::MAX, "the size of a table")? {
                // As many as there is room for.
                0 => {}
                size => writer.line(&format!("size = {size};")),
            }
        }
        if let Some(profile) = &table.profile {
            let profile = self.names.of(Kind::Profile, &profile.text);
            properties.push(format!("implementation = {profile};"));
        }
        if table.has_timeout {
            properties.push("support_timeout = true;".into());
        }
        writer.lines(&properties);
        writer.line(&default.unwrap_or_else(|| "default_action = NoAction();".into()));
        writer.close();
        Ok(())
    }

    fn default_action(&mut self, table: &Table) -> Result<Option<String>, Told> {
        let Some(default) = &table.default else {
            return Ok(None);
        };
        let signature = self.signature(&default.action)?;
        if signature.len() != default.arguments.len() {
            let message = format!(
                "`{}` takes {} arguments",
                default.action.text,
                signature.len()
            );
            return self.error(default.action.span, message);
        }
        let mut arguments = Vec::new();
        for (argument, (_, word)) in default.arguments.iter().zip(signature.iter()) {
            match super::values::constant(argument) {
                Ok(value) => arguments.push(literal(&value, *word, false)),
                Err((span, message)) => return self.error(span, message),
            }
        }
        let name = self.action_name(&default.action.text, table);
        let constant = if default.is_constant { "const " } else { "" };
        Ok(Some(format!(
            "{constant}default_action = {name}({});",
            arguments.join(", ")
        )))
    }

    fn keys(&mut self, table: &Table, writer: &mut Writer) {
        let selected = self.selected(table).unwrap_or_default();
        if table.reads.is_empty() && selected.is_empty() {
            return;
        }
        writer.open("key = {");
        for read in &table.reads {
            // Where one fails, an error says why.
            if let Ok(line) = self.key(read) {
                writer.line(&line);
            }
        }
        writer.lines(&selected);
        writer.close();
    }

    fn key(&mut self, read: &Read) -> Result<String, Told> {
        let kind = read.kind.text.as_str();
        if !KINDS.contains(&kind) {
            let message = format!("`{kind}` is no kind of a match (§11)");
            return self.error_or_meant("p4-14", &read.kind, message, KINDS);
        }
        let scope = Scope::default();
        let (text, name) = match &read.value.kind {
            // The validity of a header, unless it has a field of this name.
            ExpressionKind::Field(reference, field) if self.is_validity(reference, field) => {
                self.validity(reference)?
            }
            ExpressionKind::Named(reference) => {
                if kind != "valid" {
                    return self.error(
                        read.value.span,
                        "a whole header is matched by `valid` only (§11)",
                    );
                }
                self.validity(reference)?
            }
            ExpressionKind::Field(reference, _) if kind == "valid" => self.validity(reference)?,
            ExpressionKind::Field(reference, field) => {
                let place = self.place(reference, field, &scope)?;
                if place.is_rest {
                    return self.error(
                        read.value.span,
                        "a field of a length that varies is not matched",
                    );
                }
                let name = format!("{}.{}", shown(reference), field.text);
                match &read.mask {
                    None => (place.text, name),
                    Some(mask) => (self.masked_key(&place.text, place.word, mask)?, name),
                }
            }
            _ => {
                return self.error(
                    read.value.span,
                    "tables read fields, and whether headers are valid (§11)",
                )
            }
        };
        let kind = if kind == "valid" { "exact" } else { kind };
        Ok(format!("{text}: {kind} @name(\"{name}\");"))
    }

    fn masked_key(
        &mut self,
        text: &str,
        word: Word,
        mask: &super::tree::Expression,
    ) -> Result<String, Told> {
        match super::values::constant(mask) {
            Ok(mask) => Ok(format!("{text} & {}", literal(&mask, word, true))),
            Err((span, message)) => self.error(span, message),
        }
    }

    fn validity(&mut self, reference: &Reference) -> Result<(String, String), Told> {
        let header = self.one_header(reference, &Scope::default())?;
        Ok((header.validity(), format!("{}.$valid$", shown(reference))))
    }

    /// The fields by which a selector chooses.
    fn selected(&mut self, table: &Table) -> Option<Vec<String>> {
        let known = self.known;
        let profile = known.profiles.get(&table.profile.as_ref()?.text)?;
        let selector = known.selectors.get(&profile.selector.as_ref()?.text)?;
        let entries = self.input(selector.calculation.as_ref()?).ok()?;
        let lines = entries.all.iter().map(|entry| match &entry.field {
            Some((header, field)) => {
                format!("{}: selector @name(\"{header}.{field}\");", entry.text)
            }
            None => format!("{}: selector;", entry.text),
        });
        Some(lines.collect())
    }

    /// What is static is used in its own table only (§7).
    pub(super) fn check_static(&mut self) {
        let program = self.program;
        for table in &program.tables {
            let Ok(actions) = self.actions_of(table) else {
                continue;
            };
            for action in actions {
                self.check_static_in(action, table);
            }
        }
    }

    fn check_static_in(&mut self, action: &Name, table: &Table) {
        let known = self.known;
        if !known.actions.has(&action.text) {
            return;
        }
        let Ok(body) = self.body(action) else {
            return;
        };
        for call in body.iter() {
            let all = match call.name.text.as_str() {
                "count" => &known.counters,
                "execute_meter" => &known.meters,
                "register_read" | "register_write" => &known.registers,
                _ => continue,
            };
            let place = usize::from(call.name.text == "register_read");
            let name = call
                .arguments
                .get(place)
                .and_then(super::primitives::name_of);
            let Some(one) = name.and_then(|name| all.get(&name.text)) else {
                continue;
            };
            if let Some(own) = one
                .of_table
                .as_ref()
                .filter(|own| own.text != table.name.text)
            {
                let message = format!(
                    "`{}` is of the table `{}` only, and `{}` has this action, too (§7)",
                    one.name.text, own.text, table.name.text
                );
                let _: Result<(), Told> = self.error(call.name.span, message);
            }
        }
    }
}

/// A header as the source names it.
fn shown(reference: &Reference) -> String {
    let name = &reference.name.text;
    match &reference.index {
        Some(Index::At(at)) => {
            let at = super::values::constant(at).unwrap_or_else(|_| BigInt::from(0));
            format!("{name}[{at}]")
        }
        _ => name.clone(),
    }
}
