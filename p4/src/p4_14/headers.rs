//! Header types and what there is of them (§2), and the types of P4_16 that become of them.

use super::known::Known;
use super::names::{self, Kind, Names};
use super::standard;
use super::states::FIRST;
use super::tree::{Expression, ExpressionKind, HeaderType, Index, Instance};
use super::values::{constant, Word};
use super::writer::Writer;
use crate::source::{Sources, Span};
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// More bits than any field has; the same as in P4_16.
const MOST: u32 = 1 << 16;
/// More headers than a stack has.
const MOST_OF_STACK: u32 = 1024;
/// Bits of a header whose length nothing bounds.
const MOST_OPEN: u32 = 2048 * 8;

/// A header type with its fields' widths.
#[derive(Debug)]
pub(super) struct Layout {
    pub name: String,
    pub fields: Vec<FieldOf>,
    /// Bits of all fields whose width is known.
    pub fixed: u32,
    /// Its length in bytes, where a field takes what is left.
    pub length: Option<Expression>,
}

#[derive(Debug)]
pub(super) struct FieldOf {
    pub name: String,
    /// What it is called in P4_16.
    pub given: String,
    /// Of the field that takes what is left, the most that it may be.
    pub word: Word,
    pub saturating: bool,
    pub is_rest: bool,
    /// Bits in front of it, behind which nothing of an unknown width stands.
    pub offset: u32,
}

impl Layout {
    pub(super) fn field(&self, name: &str) -> Option<&FieldOf> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A header, a stack or metadata.
#[derive(Debug)]
pub(super) struct Held {
    pub is_metadata: bool,
    pub of: String,
    pub count: Option<u32>,
    /// In the struct of all headers, or of all metadata.
    pub given: String,
}

/// All of a program.
#[derive(Debug, Default)]
pub(super) struct Headers {
    pub layouts: BTreeMap<String, Layout>,
    pub held: BTreeMap<String, Held>,
}

/// Reads the header types and instances of a program.
pub(super) fn headers(
    sources: &Sources,
    known: &Known,
    program: &super::tree::Program,
    errors: &mut Vec<Diagnostic>,
) -> Headers {
    let mut reader = Reader {
        sources,
        errors,
        headers: Headers::default(),
    };
    for of in &program.types {
        if let Some(layout) = reader.layout(of) {
            reader.headers.layouts.insert(layout.name.clone(), layout);
        }
    }
    // One field of all metadata is the translation's own.
    let mut taken = [BTreeSet::new(), BTreeSet::from([FIRST.to_owned()])];
    for instance in &program.instances {
        if !known.types.has(&instance.of.text) {
            let error = known.types.unknown(sources, &instance.of);
            reader.errors.push(error);
            continue;
        }
        let taken = &mut taken[usize::from(instance.is_metadata)];
        if let Some(held) = reader.held(instance, taken) {
            reader.headers.held.insert(instance.name.text.clone(), held);
        }
    }
    reader.headers
}

struct Reader<'a> {
    sources: &'a Sources,
    errors: &'a mut Vec<Diagnostic>,
    headers: Headers,
}

impl Reader<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        let error = self.sources.error("p4-14", span, message);
        self.errors.push(error);
    }

    /// A constant from one to another one.
    fn number(&mut self, value: &Expression, least: u32, most: u32, what: &str) -> Option<u32> {
        match constant(value) {
            Ok(number) => {
                let found = u32::try_from(&number).ok();
                let found = found.filter(|number| (least..=most).contains(number));
                if found.is_none() {
                    let message = format!("{what} is {number}: {least} to {most} can be");
                    self.error(value.span, message);
                }
                found
            }
            Err((span, message)) => {
                self.error(span, message);
                None
            }
        }
    }

    fn layout(&mut self, of: &HeaderType) -> Option<Layout> {
        let mut layout = Layout {
            name: of.name.text.clone(),
            fields: Vec::new(),
            fixed: 0,
            length: of.length.clone(),
        };
        let mut given_names = BTreeSet::new();
        for field in &of.fields {
            let name = &field.name.text;
            if layout.field(name).is_some() {
                let message = format!("there is a field `{name}` already");
                let error = self.sources.error("p4-name", field.name.span, message);
                self.errors.push(error);
                return None;
            }
            let width = match &field.width {
                Some(width) => Some(self.number(width, 1, MOST, "the width of a field")?),
                None if layout.fields.iter().any(|field| field.is_rest) => {
                    self.error(
                        field.name.span,
                        "one field only can take what is left (§2.1)",
                    );
                    return None;
                }
                None => None,
            };
            let given = names::field(name, &given_names);
            given_names.insert(given.clone());
            layout.fields.push(FieldOf {
                name: name.clone(),
                given,
                word: Word {
                    width: width.unwrap_or(0),
                    signed: field.signed,
                },
                saturating: field.saturating,
                is_rest: width.is_none(),
                offset: layout.fixed,
            });
            layout.fixed = layout.fixed.saturating_add(width.unwrap_or(0));
        }
        if let Some(place) = layout.fields.iter().position(|field| field.is_rest) {
            let most = self.most_of_rest(of, &layout, place)?;
            layout.fields[place].word = Word {
                width: most,
                signed: false,
            };
        }
        Some(layout)
    }

    /// How many bits a field may have that takes what is left.
    fn most_of_rest(&mut self, of: &HeaderType, layout: &Layout, place: usize) -> Option<u32> {
        let Some(length) = &of.length else {
            let message = "a field takes what is left, and no `length` says how much (§2.1)";
            self.error(of.name.span, message);
            return None;
        };
        let bytes: BigInt = match most_of(length, &layout.fields[..place]) {
            Ok(bytes) => bytes,
            Err((span, message)) => {
                self.error(span, message);
                return None;
            }
        };
        let most = match &of.most {
            Some(most) => self
                .number(most, 0, MOST, "`max_length`")?
                .saturating_mul(8),
            None => u32::try_from(bytes * 8).unwrap_or(u32::MAX),
        };
        if of.most.is_none() && most > MOST_OPEN {
            let message = "nothing says how long this header can become";
            let error = self.sources.error("p4-14", of.name.span, message);
            self.errors.push(error.help("add `max_length`"));
            return None;
        }
        let rest = most.checked_sub(layout.fixed).filter(|rest| *rest <= MOST);
        if rest.is_none() {
            let fixed = layout.fixed;
            let message =
                format!("the header can have {most} bits, and its other fields have {fixed}");
            self.error(of.name.span, message);
        }
        rest
    }

    fn held(&mut self, instance: &Instance, taken: &mut BTreeSet<String>) -> Option<Held> {
        let name = &instance.name;
        if name.text == standard::STANDARD {
            if !instance.is_metadata {
                self.error(
                    name.span,
                    "`standard_metadata` is metadata of the language (§6)",
                );
            }
            return None;
        }
        let count = match &instance.count {
            Some(count) => Some(self.number(count, 1, MOST_OF_STACK, "the size of a stack")?),
            None => None,
        };
        let layout = self.headers.layouts.get(&instance.of.text)?;
        let has_rest = layout.fields.iter().any(|field| field.is_rest);
        if instance.is_metadata && has_rest {
            self.error(
                name.span,
                "metadata has no field of a length that varies (§2.2)",
            );
            return None;
        }
        let fixed = layout.fixed;
        if !instance.is_metadata && fixed % 8 != 0 {
            let message = format!(
                "a header has whole bytes: {} has {fixed} bits (§2.2)",
                name.text
            );
            let error = self.sources.error("p4-14", name.span, message);
            let missing = 8 - fixed % 8;
            self.errors
                .push(error.help(format!("add a field of {missing} bits")));
            return None;
        }
        let given = names::field(&name.text, taken);
        taken.insert(given.clone());
        Some(Held {
            is_metadata: instance.is_metadata,
            of: instance.of.text.clone(),
            count,
            given,
        })
    }
}

/// The most that a length can be, of the fields in front of what it measures.
fn most_of(length: &Expression, before: &[FieldOf]) -> Result<BigInt, (Span, String)> {
    use super::tree::Binary;
    match &length.kind {
        ExpressionKind::Named(reference) if reference.index.is_none() => {
            let name = &reference.name.text;
            let field = before.iter().find(|field| field.name == *name);
            let field = field.ok_or_else(|| {
                let message =
                    format!("no field `{name}` stands in front of the one that is measured (§2.1)");
                (length.span, message)
            })?;
            Ok((BigInt::from(1) << field.word.width) - 1)
        }
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (most_of(left, before)?, most_of(right, before)?);
            let shift = u32::try_from(&right).ok().filter(|shift| *shift < MOST);
            match (operator, shift) {
                (Binary::Add, _) => Ok(left + right),
                // The least that is taken away is nothing.
                (Binary::Subtract | Binary::ShiftRight, _) => Ok(left),
                (Binary::Multiply, _) => Ok(left * right),
                (Binary::ShiftLeft, Some(shift)) => Ok(left << shift),
                _ => Err((length.span, "no length is measured so (§2.1)".into())),
            }
        }
        _ => constant(length),
    }
}

/// Which lists of fields each field of metadata is kept by: the metadata's name, the field's, and the numbers of the lists.
pub(super) type Kept = BTreeMap<(String, String), BTreeSet<usize>>;

/// Writes the types of all headers and metadata, and the structs that hold them.
pub(super) fn write(
    headers: &Headers,
    order: &[Instance],
    kept: &Kept,
    names: &mut Names,
    more: &[String],
    writer: &mut Writer,
) {
    let held = order.iter().filter_map(|instance| {
        let held = headers.held.get(&instance.name.text)?;
        Some((&instance.name.text, held))
    });
    let held: Vec<(&String, &Held)> = held.collect();
    let mut written = BTreeSet::new();
    let mut fields: [Vec<String>; 2] = Default::default();
    for (name, held) in held {
        let layout = &headers.layouts[&held.of];
        let of = match held.is_metadata {
            true => {
                let Some(of) = write_struct(name, layout, kept, names, writer, &mut written) else {
                    continue;
                };
                of
            }
            false => write_header(layout, names, writer, &mut written),
        };
        let of = match held.count {
            Some(count) => format!("{of}[{count}]"),
            None => of,
        };
        let annotation = names::annotation(&held.given, name);
        let line = format!("{annotation}{of} {};", held.given);
        fields[usize::from(held.is_metadata)].push(line);
    }
    fields[1].extend(more.iter().cloned());
    for (name, fields) in ["headers", "metadata"].into_iter().zip(fields) {
        writer.open(&format!("struct {name} {{"));
        for field in fields {
            writer.line(&field);
        }
        writer.close();
    }
}

/// The header type of a layout; writes it unless it is there.
fn write_header(
    layout: &Layout,
    names: &mut Names,
    writer: &mut Writer,
    written: &mut BTreeSet<String>,
) -> String {
    let given = names.of(Kind::Header, &layout.name);
    if !written.insert(format!("header {given}")) {
        return given;
    }
    let annotation = names::annotation(&given, &layout.name);
    writer.open(&format!("{annotation}header {given} {{"));
    for field in &layout.fields {
        let annotation = names::annotation(&field.given, &field.name);
        let of = match field.is_rest {
            true => format!("varbit<{}>", field.word.width),
            false => field.word.text(),
        };
        writer.line(&format!("{annotation}{of} {};", field.given));
    }
    writer.close();
    given
}

/// The struct of some metadata: its own where lists keep fields of it, so that they keep those of no other; `None`: the target has all
/// of its fields.
fn write_struct(
    name: &str,
    layout: &Layout,
    kept: &Kept,
    names: &mut Names,
    writer: &mut Writer,
    written: &mut BTreeSet<String>,
) -> Option<String> {
    let own = |field: &&FieldOf| standard::mapped(name, &field.name).is_none();
    let fields: Vec<&FieldOf> = layout.fields.iter().filter(own).collect();
    if fields.is_empty() && !layout.fields.is_empty() {
        return None;
    }
    let is_kept = kept.keys().any(|(of, _)| of == name);
    let is_whole = fields.len() == layout.fields.len();
    let key = match is_kept || !is_whole {
        // No instance has such a name.
        true => format!("{}\n{name}", layout.name),
        false => layout.name.clone(),
    };
    let given = match is_kept || !is_whole {
        true => names.fresh(&layout.name),
        false => names.of(Kind::Struct, &layout.name),
    };
    if !written.insert(key) {
        return Some(given);
    }
    let annotation = names::annotation(&given, &layout.name);
    writer.open(&format!("{annotation}struct {given} {{"));
    for field in fields {
        if let Some(lists) = kept.get(&(name.to_owned(), field.name.clone())) {
            let lists: Vec<String> = lists.iter().map(usize::to_string).collect();
            writer.line(&format!("@field_list({})", lists.join(", ")));
        }
        let annotation = names::annotation(&field.given, &field.name);
        writer.line(&format!(
            "{annotation}{} {};",
            field.word.text(),
            field.given
        ));
    }
    writer.close();
    Some(given)
}

/// A constant index into a stack, or what is wrong with it.
pub(super) fn index(index: &Index, count: u32) -> Result<u32, (Span, String)> {
    let Index::At(at) = index else {
        return Err((
            Span::default(),
            "`next` and `last` stand in parsers only (§2.3)".into(),
        ));
    };
    let wrong = "the place in a stack is a constant, `next` or `last` (§2.3)";
    let value = constant(at).map_err(|_| (at.span, wrong.to_owned()))?;
    match u32::try_from(&value).ok().filter(|at| *at < count) {
        Some(at) => Ok(at),
        None => {
            let message = format!("the stack has {count} headers, and none at {value}");
            Err((at.span, message))
        }
    }
}
