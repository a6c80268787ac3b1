//! Field lists, and the calculations and selectors that go by them (§2.4, §3).

use super::standard::{self, STANDARD};
use super::translator::{HeaderPlace, Place, Scope, Told, Translator};
use super::tree::{Calculation, Expression, ExpressionKind, Reference};
use super::values::{literal, Value, Word};
use crate::ast::Name;
use num_bigint::BigInt;

/// More entries than any list has.
const MOST: usize = 10_000;

/// So many headers of a list may be valid or not, each on its own: every set of them is a list.
const MOST_OPEN: usize = 4;

/// What a list comes to.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub all: Vec<Entry>,
    /// What follows in the packet belongs to it.
    pub has_payload: bool,
    /// Lists that stand in it, and entries of them.
    read: usize,
}

#[derive(Debug)]
pub(super) struct Entry {
    /// What it is in P4_16.
    pub text: String,
    pub word: Word,
    /// The header, or the metadata, and the field; `None`: a constant.
    pub field: Option<(String, String)>,
    pub place: Option<Place>,
}

impl Entries {
    /// `{ a, b }`.
    pub(super) fn text(&self) -> String {
        let all: Vec<&str> = self.all.iter().map(|entry| entry.text.as_str()).collect();
        format!("{{ {} }}", all.join(", "))
    }
}

/// A list as it is where some headers are valid, and all others are not.
#[derive(Debug)]
pub(super) struct Variant {
    /// What then holds.
    pub conditions: Vec<String>,
    /// `None`: no field is left.
    pub text: Option<String>,
}

impl Translator<'_> {
    /// A list for each set of its headers that can be valid: fields of one that is not are left out of calculations (§3). `known` are
    /// conditions that hold in any case.
    pub(super) fn variants(
        &mut self,
        name: &Name,
        entries: &Entries,
        known: &[String],
    ) -> Result<Vec<Variant>, Told> {
        let header_of = |entry: &Entry| entry.place.as_ref()?.header.clone();
        let mut open: Vec<String> = Vec::new();
        for header in entries.all.iter().filter_map(header_of) {
            let valid = validity(&header, true);
            let is_known = known.contains(&valid) || known.contains(&validity(&header, false));
            if !is_known && !open.contains(&header) {
                open.push(header);
            }
        }
        if open.len() > MOST_OPEN {
            let message = format!(
                "`{}` has fields of more than {MOST_OPEN} headers that need not be valid, and P4_16 has no lists with fields left out",
                name.text
            );
            return self.error(name.span, message);
        }
        let variants = (0..1usize << open.len()).map(|missing| {
            let conditions: Vec<String> = open
                .iter()
                .enumerate()
                .map(|(place, header)| validity(header, missing >> place & 1 == 0))
                .collect();
            let is_there = |entry: &&Entry| {
                let header = header_of(entry);
                header.is_none_or(|header| {
                    let gone = validity(&header, false);
                    !conditions.contains(&gone) && !known.contains(&gone)
                })
            };
            let left: Vec<&str> = entries
                .all
                .iter()
                .filter(is_there)
                .map(|entry| entry.text.as_str())
                .collect();
            let text = (!left.is_empty()).then(|| format!("{{ {} }}", left.join(", ")));
            Variant { conditions, text }
        });
        Ok(variants.collect())
    }

    /// All fields of a list, those of lists and headers in it among them.
    pub(super) fn entries(&mut self, name: &Name) -> Result<Entries, Told> {
        let mut entries = Entries::default();
        self.entries_of(name, &mut Vec::new(), &mut entries)?;
        Ok(entries)
    }

    fn entries_of(
        &mut self,
        name: &Name,
        open: &mut Vec<String>,
        to: &mut Entries,
    ) -> Result<(), Told> {
        let known = self.known;
        let list = self.found(known.lists.get(&name.text), |this| {
            known.lists.unknown(this.sources, name)
        })?;
        if open.contains(&name.text) {
            return self.error(
                name.span,
                format!("the field list `{}` contains itself (§2.4)", name.text),
            );
        }
        open.push(name.text.clone());
        for entry in &list.entries {
            self.entry(entry, open, to)?;
            to.read += 1;
            if to.read.max(to.all.len()) > MOST {
                return self.error(name.span, format!("this list has more than {MOST} fields"));
            }
        }
        open.pop();
        Ok(())
    }

    fn entry(
        &mut self,
        entry: &Expression,
        open: &mut Vec<String>,
        to: &mut Entries,
    ) -> Result<(), Told> {
        if to.has_payload {
            return self.error(
                entry.span,
                "nothing stands behind `payload`, which is the rest of the packet",
            );
        }
        let scope = Scope::default();
        match &entry.kind {
            ExpressionKind::Field(reference, field) => {
                let place = self.place(reference, field, &scope)?;
                to.all
                    .push(Entry::of(&reference.name.text, &field.text, place));
            }
            ExpressionKind::Named(reference) => {
                let name = &reference.name;
                let is_alone = reference.index.is_none();
                let is_header = self.headers.held.contains_key(&name.text) || name.text == STANDARD;
                if is_alone && name.text == "payload" && !is_header {
                    to.has_payload = true;
                } else if is_alone && self.known.lists.has(&name.text) {
                    return self.entries_of(name, open, to);
                } else {
                    return self.fields_of(reference, to);
                }
            }
            _ => {
                let value = self.value(entry, None, &mut Scope::default())?;
                let (Value::Constant { value: number, .. }, Some(width)) = (&value, value.width())
                else {
                    return self.error(
                        entry.span,
                        "a list has fields, headers and constants (§2.4)",
                    );
                };
                to.all.push(Entry::constant(number, width));
            }
        }
        Ok(())
    }

    /// All fields of a header or of a stack.
    fn fields_of(&mut self, reference: &Reference, to: &mut Entries) -> Result<(), Told> {
        let name = &reference.name.text;
        if name == STANDARD {
            for field in standard::fields() {
                let field = Name {
                    text: field.to_owned(),
                    span: reference.name.span,
                };
                let place = self.place(reference, &field, &Scope::default())?;
                // Some have two names.
                if to.all.iter().all(|entry| entry.text != place.text) {
                    to.all.push(Entry::of(name, &field.text, place));
                }
            }
            return Ok(());
        }
        let header = self.header(reference, &Scope::default())?;
        for number in 0..header.count.unwrap_or(1) {
            let one = HeaderPlace {
                text: match header.count {
                    Some(_) => format!("{}[{number}]", header.text),
                    None => header.text.clone(),
                },
                ..header.clone()
            };
            for field in &one.layout.fields {
                let place = self.field_of(&one, field);
                to.all.push(Entry::of(name, &field.name, place));
            }
            if to.all.len() > MOST {
                return self.error(
                    reference.name.span,
                    format!("this list has more than {MOST} fields"),
                );
            }
        }
        Ok(())
    }

    /// A calculation by its name.
    pub(super) fn calculation(&mut self, name: &Name) -> Result<&Calculation, Told> {
        let known = self.known;
        self.found(known.calculations.get(&name.text), |this| {
            known.calculations.unknown(this.sources, name)
        })
    }

    /// Its first list, which is the one that it begins with (§3).
    pub(super) fn input(&mut self, name: &Name) -> Result<Entries, Told> {
        let input = self.calculation(name)?.inputs.first().cloned();
        match input {
            Some(input) => self.entries(&input),
            None => self.error(name.span, format!("`{}` has no input", name.text)),
        }
    }

    /// Its algorithm, as v1model calls it, and the bits that it gives.
    pub(super) fn algorithm(&mut self, name: &Name) -> Result<(String, u32), Told> {
        let calculation = self.calculation(name)?.clone();
        let (Some(algorithm), Some(width)) = (&calculation.algorithm, &calculation.width) else {
            let message = format!(
                "`{}` has no `algorithm` or no `output_width` (§3)",
                name.text
            );
            return self.error(calculation.name.span, message);
        };
        let width = self.number(width, 1, 1 << 16, "`output_width`")?;
        let known = match algorithm.text.as_str() {
            "programmable_crc" if width <= 16 => "crc16_custom",
            "programmable_crc" => "crc32_custom",
            "crc32" | "crc32_custom" | "crc16" | "crc16_custom" | "random" | "identity"
            | "csum16" | "xor16" => &algorithm.text,
            other => {
                let message = format!("v1model has no algorithm `{other}`");
                let error = self.sources.error("p4-14", algorithm.span, message);
                self.tell(error.help(
                    "it has csum16, xor16, crc16, crc32, programmable_crc, identity and random",
                ));
                return Err(Told);
            }
        };
        Ok((format!("HashAlgorithm.{known}"), width))
    }
}

/// The condition that a header is, or is not, valid.
fn validity(header: &str, is_valid: bool) -> String {
    let not = if is_valid { "" } else { "!" };
    format!("{not}{header}.isValid()")
}

impl Entry {
    fn of(header: &str, field: &str, place: Place) -> Entry {
        Entry {
            text: place.text.clone(),
            word: place.word,
            field: Some((header.to_owned(), field.to_owned())),
            place: Some(place),
        }
    }

    fn constant(value: &BigInt, width: u32) -> Entry {
        let word = Word::bits(width);
        Entry {
            text: literal(value, word, false),
            word,
            field: None,
            place: None,
        }
    }
}
