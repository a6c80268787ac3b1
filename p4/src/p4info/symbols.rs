//! Numbers and short names of what the control plane sees.
//!
//! A number has the kind in its upper eight bits. The others are what `@id` says, or a hash of the whole name: the first one behind it that
//! is free, kind by kind and in the order of the names, so that it depends on nothing but these.

use crate::ast::Annotation;
use crate::source::{Sources, Span};
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// What a thing is, by the number that the specification gives it (P4Runtime, "ID allocation").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    Action = 0x01,
    Table = 0x02,
    ValueSet = 0x03,
    ControllerHeader = 0x04,
    ActionProfile = 0x11,
    Counter = 0x12,
    DirectCounter = 0x13,
    Meter = 0x14,
    DirectMeter = 0x15,
    Register = 0x16,
    Digest = 0x17,
}

impl Kind {
    /// For messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Action => "action",
            Kind::Table => "table",
            Kind::ValueSet => "value set",
            Kind::ControllerHeader => "controller header",
            Kind::ActionProfile => "action profile",
            Kind::Counter => "counter",
            Kind::DirectCounter => "direct counter",
            Kind::Meter => "meter",
            Kind::DirectMeter => "direct meter",
            Kind::Register => "register",
            Kind::Digest => "digest",
        }
    }

    fn prefix(self) -> u32 {
        (self as u32) << 24
    }
}

/// All that the control plane sees.
#[derive(Default)]
pub(super) struct Symbols {
    ids: BTreeMap<(Kind, String), Option<u32>>,
    /// Who says which number.
    said: BTreeMap<u32, Span>,
    spans: BTreeMap<(Kind, String), Span>,
    /// Ends of names, and of how many.
    ends: BTreeMap<String, u32>,
    names: BTreeSet<String>,
}

impl Symbols {
    /// Takes up a thing. Two of one kind have two names.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        name: &str,
        annotations: &[Annotation],
        span: Span,
        sources: &Sources,
    ) -> Result<(), Diagnostic> {
        let key = (kind, name.to_owned());
        if let Some(first) = self.spans.get(&key) {
            let message = format!("two {}s have the name `{name}`", kind.word());
            let error = sources.error("p4-p4info", span, message);
            let error = error.label(sources.place(*first), "the first one");
            return Err(error.help("give one of them another `@name`"));
        }
        self.spans.insert(key.clone(), span);
        let id = said_id(annotations, sources)?;
        let id = match id {
            None => None,
            Some((id, _)) if id >> 24 == 0 => Some(kind.prefix() | id),
            Some((id, _)) if id >> 24 == kind as u32 => Some(id),
            Some((id, place)) => {
                let message = format!("{id:#x} is no number of a {}", kind.word());
                let help = format!(
                    "write {:#x}: the upper eight bits say the kind",
                    kind.prefix() | (id & 0xff_ffff)
                );
                return Err(sources.error("p4-p4info", place, message).help(help));
            }
        };
        if let Some(id) = id {
            if let Some(first) = self.said.insert(id, span) {
                let message = format!("the number {id:#x} is given twice");
                let error = sources.error("p4-p4info", span, message);
                return Err(error.label(sources.place(first), "the first one"));
            }
        }
        self.ids.insert(key, id);
        if self.names.insert(name.to_owned()) {
            for end in ends(name) {
                *self.ends.entry(end.to_owned()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Gives a number to whatever has none; [`id`](Symbols::id) knows them then.
    pub(super) fn number(&mut self) {
        let mut taken: BTreeSet<u32> = self.said.keys().copied().collect();
        for ((kind, name), id) in &mut self.ids {
            if id.is_some() {
                continue;
            }
            let mut hash = hash(name.as_bytes());
            // There are never as many things as numbers.
            while !taken.insert(kind.prefix() | (hash & 0xff_ffff)) {
                hash = hash.wrapping_add(1);
            }
            *id = Some(kind.prefix() | (hash & 0xff_ffff));
        }
    }

    /// The number of a thing; 0, which nothing has, where it is not known.
    pub(super) fn id(&self, kind: Kind, name: &str) -> u32 {
        let id = self.ids.get(&(kind, name.to_owned()));
        id.copied().flatten().unwrap_or(0)
    }

    /// The shortest end of a name that no other one has.
    pub(super) fn alias(&self, name: &str) -> String {
        let mut ends = ends(name);
        let only = ends.find(|end| self.ends.get(*end).is_none_or(|count| *count < 2));
        only.unwrap_or(name).to_owned()
    }
}

/// `c`, `b.c` and `a.b.c` of `a.b.c`.
fn ends(name: &str) -> impl Iterator<Item = &str> {
    let dots = name.rmatch_indices('.').map(|(at, _)| at + 1);
    dots.chain([0]).map(|at| &name[at..])
}

/// The hash of names: Bob Jenkins' "one at a time".
fn hash(bytes: &[u8]) -> u32 {
    let mut hash = 0u32;
    for byte in bytes {
        hash = hash.wrapping_add(u32::from(*byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// What `@id` says, and where.
fn said_id(
    annotations: &[Annotation],
    sources: &Sources,
) -> Result<Option<(u32, Span)>, Diagnostic> {
    let Some(annotation) = annotations.iter().find(|one| one.name.text == "id") else {
        return Ok(None);
    };
    let place = annotation.name.span;
    match super::annotations::number(annotation).and_then(|id| u32::try_from(id).ok()) {
        Some(id) => Ok(Some((id, place))),
        None => {
            let message = "`@id` says one number that has no more than 32 bits";
            let error = sources.error("p4-p4info", place, message);
            Err(error.help("write the number alone: `@id(7)`"))
        }
    }
}

/// Numbers of parts of a thing, by what stands before each: what `@id` says, or the next one that is free, from the place of the part on.
pub(super) fn parts(
    of: &[(&[Annotation], Span)],
    sources: &Sources,
    errors: &mut Vec<Diagnostic>,
) -> Vec<u32> {
    let mut taken: BTreeMap<u32, Span> = BTreeMap::new();
    let mut said = Vec::new();
    for (annotations, span) in of {
        let id = said_id(annotations, sources).unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        said.push(id.map(|(id, _)| id));
        let Some((id, place)) = id else { continue };
        if id == 0 {
            let error = sources.error("p4-p4info", place, "0 is no number of a part");
            errors.push(error.help("numbers begin with 1"));
        } else if let Some(first) = taken.insert(id, *span) {
            let message = format!("the number {id} is given twice");
            let error = sources.error("p4-p4info", place, message);
            errors.push(error.label(sources.place(first), "the first one"));
        }
    }
    let mut next = 1;
    let numbers = said.into_iter().zip(of).map(|(id, (_, span))| {
        if let Some(id) = id {
            next += 1;
            return id;
        }
        while taken.contains_key(&next) {
            next += 1;
        }
        taken.insert(next, *span);
        next
    });
    numbers.collect()
}
