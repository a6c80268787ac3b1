//! What all parts of the translation share: names looked up, errors, and what can be named where.

use super::actions::Signature;
use super::headers::{self, FieldOf, Headers, Layout};
use super::known::{or_meant, Known};
use super::names::Names;
use super::standard::{self, STANDARD};
use super::tree::{Call, Expression, Index, Program, Reference};
use super::values::{constant, Word};
use crate::ast::Name;
use crate::source::{Sources, Span, MOST_ERRORS};
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An error was told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told;

pub(super) struct Translator<'a> {
    pub sources: &'a Sources,
    pub program: &'a Program,
    pub known: &'a Known<'a>,
    pub headers: &'a Headers,
    pub names: Names,
    pub errors: Vec<Diagnostic>,
    /// What each action does, once what it calls stands in it.
    pub bodies: BTreeMap<String, Result<Rc<Vec<Call>>, Told>>,
    /// The parameters of actions, as far as they were asked for.
    pub signatures: BTreeMap<String, Signature>,
    /// Actions that were written.
    pub written: BTreeSet<String>,
    /// Actions that tables with direct meters have of their own, by the action and the table.
    pub metered: BTreeMap<String, String>,
    /// Numbers of the lists whose fields a packet keeps when it goes round.
    pub kept_lists: BTreeMap<String, usize>,
}

/// What can be named besides headers, and where.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Parameters of an action: what they are called, and their types as far as they are known.
    pub parameters: BTreeMap<String, (String, Option<Word>)>,
    /// Types that are asked of parameters.
    pub wanted: BTreeMap<String, Word>,
    /// It is a state of the parser.
    pub is_parser: bool,
    /// What it has extracted last.
    pub latest: Option<(String, String)>,
}

impl Scope {
    pub(super) fn parser() -> Scope {
        Scope {
            is_parser: true,
            ..Scope::default()
        }
    }

    /// A parameter is to be of this type: the widest one that is asked of it, so that no use loses bits.
    pub(super) fn want(&mut self, parameter: &str, word: Word) {
        let wanted = self.wanted.entry(parameter.to_owned()).or_insert(word);
        wanted.width = wanted.width.max(word.width);
    }
}

/// A field, wherever it is.
#[derive(Debug)]
pub(super) struct Place {
    pub text: String,
    pub word: Word,
    pub saturating: bool,
    pub is_rest: bool,
    /// The header that it is in; `None`: metadata.
    pub header: Option<String>,
    pub is_standard: bool,
}

impl Place {
    /// A field of the metadata that v1model has.
    fn standard(name: &str, word: Word) -> Place {
        Place {
            text: format!("{STANDARD}.{name}"),
            word,
            saturating: false,
            is_rest: false,
            header: None,
            is_standard: true,
        }
    }
}

/// A header, a stack or metadata.
#[derive(Clone, Debug)]
pub(super) struct HeaderPlace<'a> {
    pub text: String,
    pub name: &'a str,
    pub layout: &'a Layout,
    pub is_metadata: bool,
    /// As many headers, where it is a whole stack.
    pub count: Option<u32>,
}

impl HeaderPlace<'_> {
    pub(super) fn validity(&self) -> String {
        match self.is_metadata {
            true => "true".into(),
            false => format!("{}.isValid()", self.text),
        }
    }
}

impl<'a> Translator<'a> {
    // ---- Errors

    pub(super) fn tell(&mut self, error: Diagnostic) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }

    pub(super) fn error_of<T>(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Result<T, Told> {
        let error = self.sources.error(code, span, message);
        self.tell(error);
        Err(Told)
    }

    /// The same about a name, with the one that may have been meant.
    pub(super) fn error_or_meant<'n, T>(
        &mut self,
        code: &'static str,
        name: &Name,
        message: impl Into<String>,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Result<T, Told> {
        let error = self.sources.error(code, name.span, message);
        self.tell(or_meant(error, &name.text, known));
        Err(Told)
    }

    /// What P4_14 forbids, or what the architecture cannot do.
    pub(super) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T, Told> {
        self.error_of("p4-14", span, message)
    }

    /// What there must be; `None`: the error.
    pub(super) fn found<T>(
        &mut self,
        found: Option<T>,
        error: impl FnOnce(&Self) -> Diagnostic,
    ) -> Result<T, Told> {
        match found {
            Some(found) => Ok(found),
            None => {
                let error = error(self);
                self.tell(error);
                Err(Told)
            }
        }
    }

    /// A constant between two others.
    pub(super) fn number(
        &mut self,
        value: &Expression,
        least: u32,
        most: u32,
        what: &str,
    ) -> Result<u32, Told> {
        let number = match constant(value) {
            Ok(number) => number,
            Err((span, message)) => return self.error(span, message),
        };
        match u32::try_from(&number)
            .ok()
            .filter(|number| (least..=most).contains(number))
        {
            Some(number) => Ok(number),
            None => self.error(
                value.span,
                format!("{what} is {number}: {least} to {most} can be"),
            ),
        }
    }

    // ---- Headers and fields

    /// A header that exists, or metadata, or a stack.
    pub(super) fn header(
        &mut self,
        reference: &Reference,
        scope: &Scope,
    ) -> Result<HeaderPlace<'a>, Told> {
        let (known, headers) = (self.known, self.headers);
        let name = &reference.name;
        if name.text == "latest" && reference.index.is_none() {
            return self.latest(name, scope);
        }
        let Some((key, held)) = headers.held.get_key_value(&name.text) else {
            // What is declared and wrong was told already.
            if known.instances.has(&name.text) && name.text != STANDARD {
                return Err(Told);
            }
            if name.text == STANDARD {
                return self.error(
                    name.span,
                    "only fields of `standard_metadata` can be named here",
                );
            }
            let error = known.instances.unknown(self.sources, name);
            self.tell(error);
            return Err(Told);
        };
        let whole = match held.is_metadata {
            true => format!("meta.{}", held.given),
            false => format!("hdr.{}", held.given),
        };
        let (text, count) = match (&reference.index, held.count) {
            (None, count) => (whole, count),
            (Some(_), None) => {
                return self.error(name.span, format!("`{}` is no stack", name.text));
            }
            (Some(Index::Next), _) if scope.is_parser => (format!("{whole}.next"), None),
            (Some(Index::Last), _) if scope.is_parser => (format!("{whole}.last"), None),
            (Some(index), Some(count)) => match headers::index(index, count) {
                Ok(index) => (format!("{whole}[{index}]"), None),
                Err((span, message)) => {
                    let span = if span == Span::default() {
                        name.span
                    } else {
                        span
                    };
                    return self.error(span, message);
                }
            },
        };
        Ok(HeaderPlace {
            text,
            name: key,
            layout: &headers.layouts[&held.of],
            is_metadata: held.is_metadata,
            count,
        })
    }

    fn latest(&mut self, name: &Name, scope: &Scope) -> Result<HeaderPlace<'a>, Told> {
        let headers = self.headers;
        let Some((instance, text)) = &scope.latest else {
            let message = "nothing was extracted in this state before (§4.4)";
            return self.error(name.span, message);
        };
        let (key, held) = headers.held.get_key_value(instance).ok_or(Told)?;
        Ok(HeaderPlace {
            text: text.clone(),
            name: key,
            layout: &headers.layouts[&held.of],
            is_metadata: false,
            count: None,
        })
    }

    /// One header, and no stack.
    pub(super) fn one_header(
        &mut self,
        reference: &Reference,
        scope: &Scope,
    ) -> Result<HeaderPlace<'a>, Told> {
        let header = self.header(reference, scope)?;
        match header.count {
            None => Ok(header),
            Some(_) => {
                let message = format!(
                    "`{}` is a stack: say which of its headers",
                    reference.name.text
                );
                self.error(reference.name.span, message)
            }
        }
    }

    /// A field.
    pub(super) fn place(
        &mut self,
        reference: &Reference,
        field: &Name,
        scope: &Scope,
    ) -> Result<Place, Told> {
        let is_alone = reference.index.is_none();
        let of = &reference.name.text;
        let is_declared = of == STANDARD || self.known.instances.has(of);
        if let (true, true, Some((text, word))) =
            (is_alone, is_declared, standard::mapped(of, &field.text))
        {
            return Ok(Place::standard(text, word));
        }
        if of == STANDARD {
            let message = format!("v1model has no `{of}.{}`", field.text);
            return self.error_or_meant("p4-14", field, message, standard::fields());
        }
        let header = self.one_header(reference, scope)?;
        let Some(found) = header.layout.field(&field.text) else {
            let fields = header.layout.fields.iter().map(|field| field.name.as_str());
            let message = format!("`{of}` has no field `{}`", field.text);
            return self.error_or_meant("p4-name", field, message, fields);
        };
        Ok(self.field_of(&header, found))
    }

    pub(super) fn field_of(&self, header: &HeaderPlace, field: &FieldOf) -> Place {
        if let (true, Some((text, word))) = (
            header.is_metadata,
            standard::mapped(header.name, &field.name),
        ) {
            return Place::standard(text, word);
        }
        Place {
            text: format!("{}.{}", header.text, field.given),
            word: field.word,
            saturating: field.saturating,
            is_rest: field.is_rest,
            header: (!header.is_metadata).then(|| header.text.clone()),
            is_standard: false,
        }
    }
}
