//! What the control plane sees of a program: `p4.config.v1.P4Info` of the P4Runtime specification, as text and as binary; and the entries of
//! its tables in the same forms.
//!
//! ```text
//! typed program, design ─► reach: what packets come to ─► symbols: numbers and short names ─► tables, objects, types, entries ─► message
//! ```
//!
//! Names are those of the [`design`](crate::design), as P4_16 has them (§20.3). Which externs are counters, meters and so on is a matter of
//! the architecture (`architecture`); of one that is not known, P4Info has tables and actions only.
//!
//! Each list has its things in the order in which the program makes them: parsers and controls as `main` has them, each in front of
//! those that it applies.

mod annotations;
mod architecture;
mod entries;
mod keys;
mod message;
mod objects;
mod reach;
mod symbols;
mod tables;
mod types;

pub(crate) use annotations::number_said;
pub use message::Message;
pub use symbols::Kind;

use crate::ast::Annotation;
use crate::design::{joined, name_of, Design};
use crate::source::{Sources, Span};
use crate::typed::{FunctionKind, Program};
use crate::types::{RecordKind, Type};
use crate::value::Value;
use annotations::{find, Fields};
use architecture::Architecture;
use hardpath_diagnostic::Diagnostic;
use reach::Reached;
use std::collections::{BTreeMap, BTreeSet};
use symbols::Symbols;

/// Annotations and documentation of a `Preamble`.
const PREAMBLE: Fields = Fields::new(4, 6, Some(5));

/// Describes a program for its control plane.
///
/// # Errors
/// `p4-p4info`: two things have one number or one name; a number is one of another kind of things; something has no name or has a type that
/// the control plane cannot write; an annotation does not say what it must. All of them.
pub fn p4info(
    program: &Program,
    sources: &Sources,
    design: &Design,
) -> Result<Message, Vec<Diagnostic>> {
    let (mut maker, things) = maker(program, sources, design);
    let main = &program.instances[design.objects[design.main].instance];
    let mut info = Message::new().message(1, "pkg_info", maker.package(&main.annotations));
    for thing in &things {
        info = maker.thing(info, thing);
    }
    let types = maker.type_info();
    if !types.is_empty() {
        info = info.message(200, "type_info", types);
    }
    maker.finish(info)
}

/// The entries that the tables of a program have, as a control plane would write them: `p4.v1.WriteRequest`.
///
/// # Errors
/// `p4-p4info`: as for [`p4info`], or an entry that P4Runtime has no form for.
pub fn initial_entries(
    program: &Program,
    sources: &Sources,
    design: &Design,
) -> Result<Message, Vec<Diagnostic>> {
    let (mut maker, things) = maker(program, sources, design);
    let request = maker.write_request(&things);
    maker.finish(request)
}

/// All that is needed, and all that is seen, which has its numbers.
fn maker<'a>(
    program: &'a Program,
    sources: &'a Sources,
    design: &'a Design,
) -> (Maker<'a>, Vec<Thing>) {
    let reached = reach::reached(program, design);
    let mut maker = Maker {
        program,
        sources,
        design,
        architecture: Architecture::of(program, design),
        users: objects::users(program, design, &reached),
        reached,
        symbols: Symbols::default(),
        described: types::Described::default(),
        errors: Vec::new(),
    };
    let things = maker.things();
    maker.symbols.number();
    (maker, things)
}

/// What the control plane sees.
struct Thing {
    kind: Kind,
    name: String,
    annotations: Vec<Annotation>,
    span: Span,
    what: What,
}

/// What it is, by the places in the program and the design.
enum What {
    /// Of the design.
    Table(usize),
    /// Of the program.
    Action(usize),
    /// Of the program.
    ValueSet(usize),
    /// A record.
    Header(usize),
    /// An object; the table whose property it is.
    Object(usize, Option<usize>),
    /// What a function is given that sends it.
    Digest(Type),
}

struct Maker<'a> {
    program: &'a Program,
    sources: &'a Sources,
    design: &'a Design,
    architecture: Architecture,
    reached: Reached,
    /// Tables that name an object in a property, by the object.
    users: BTreeMap<usize, Vec<usize>>,
    symbols: Symbols,
    described: types::Described,
    errors: Vec<Diagnostic>,
}

impl Maker<'_> {
    fn refuse<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        let error = self.sources.error("p4-p4info", span, message);
        self.errors.push(error.help(help));
        None
    }

    /// The message, if nothing is wrong.
    fn finish(self, message: Message) -> Result<Message, Vec<Diagnostic>> {
        if self.errors.is_empty() {
            return Ok(message);
        }
        let mut errors = self.errors;
        // What is used in several places is looked at in each.
        let mut seen = BTreeSet::new();
        errors.retain(|error| seen.insert(error.to_string()));
        errors.truncate(crate::source::MOST_ERRORS);
        Err(errors)
    }

    /// Everything that the control plane sees; it has a name from here on.
    fn things(&mut self) -> Vec<Thing> {
        let mut things = self.tables();
        things.extend(self.actions());
        things.extend(self.objects());
        let headers = self.program.types.records.iter().enumerate();
        things.extend(headers.filter_map(|(number, record)| {
            let is_one = record.kind == RecordKind::Header
                && find(&record.annotations, "controller_header").is_some();
            is_one.then(|| Thing {
                kind: Kind::ControllerHeader,
                name: name_of(&record.annotations, &record.name),
                annotations: record.annotations.clone(),
                span: record.span,
                what: What::Header(number),
            })
        }));
        things.extend(self.value_sets());
        things.extend(self.digests());
        // What is hidden is seen by nobody, but is there.
        for thing in &things {
            let known = self.symbols.add(
                thing.kind,
                &thing.name,
                &thing.annotations,
                thing.span,
                self.sources,
            );
            self.errors.extend(known.err());
        }
        things.retain(|thing| find(&thing.annotations, "hidden").is_none());
        things
    }

    fn tables(&self) -> Vec<Thing> {
        let tables = self.design.tables.iter().enumerate();
        let places: BTreeMap<(usize, usize), usize> = tables
            .map(|(number, one)| ((one.object, one.table), number))
            .collect();
        let mut things = Vec::new();
        for block in self.reached.blocks() {
            for reached in self.reached.tables.range((block, 0)..(block + 1, 0)) {
                let Some(number) = places.get(reached) else {
                    continue;
                };
                let table = &self.program.tables[reached.1];
                things.push(Thing {
                    kind: Kind::Table,
                    name: self.design.tables[*number].name.clone(),
                    annotations: table.annotations.clone(),
                    span: table.span,
                    what: What::Table(*number),
                });
            }
        }
        things
    }

    /// Actions that tables have or that are called: for each parser and control of `main` first those that are declared outside of all, which
    /// are listed once.
    fn actions(&self) -> Vec<Thing> {
        let mut things: Vec<Thing> = Vec::new();
        let mut seen = BTreeSet::new();
        for blocks in &self.reached.roots {
            let mut all = Vec::new();
            for block in blocks {
                let tables = self.reached.tables.range((*block, 0)..(*block + 1, 0));
                for (_, table) in tables {
                    let table = &self.program.tables[*table];
                    all.extend(table.actions.iter().map(|one| (*block, one.action)));
                    let default = self.no_action().filter(|_| table.default.is_none());
                    all.extend(default.map(|number| (*block, number)));
                }
                let actions = self.reached.actions.range((*block, 0)..(*block + 1, 0));
                all.extend(actions.copied());
            }
            let (mut own, outside): (Vec<_>, Vec<_>) = all
                .into_iter()
                .partition(|(block, number)| self.is_own(*block, *number));
            // A control's own actions stand in the order of the text.
            own.sort_by_key(|(block, number)| {
                let place = blocks.iter().position(|one| one == block);
                (place, *number)
            });
            for (block, number) in outside.into_iter().chain(own) {
                let name = self.action_name(block, number);
                let action = &self.program.functions[number];
                // What was one action of P4_14 is one, wherever it stands now.
                let which = (!self.program.is_translated).then_some(number);
                if seen.insert((which, name.clone())) {
                    things.push(Thing {
                        kind: Kind::Action,
                        name,
                        annotations: action.annotations.clone(),
                        span: action.span,
                        what: What::Action(number),
                    });
                }
            }
        }
        things
    }

    /// The action that does nothing (§14.1.1).
    fn no_action(&self) -> Option<usize> {
        let mut functions = self.program.functions.iter();
        functions.position(|one| one.kind == FunctionKind::Action && one.name == "NoAction")
    }

    /// The object's control declares the action.
    fn is_own(&self, object: usize, number: usize) -> bool {
        let block = self.design.objects[object].block;
        block.is_some_and(|block| self.program.blocks[block].actions.contains(&number))
    }

    /// What the control plane calls an action of an object, or one that is declared outside of everything.
    fn action_name(&self, object: usize, number: usize) -> String {
        let action = &self.program.functions[number];
        let around = match self.is_own(object, number) {
            true => self.design.objects[object].name.as_str(),
            false => "",
        };
        joined(around, &name_of(&action.annotations, &action.name))
    }

    fn value_sets(&self) -> Vec<Thing> {
        let sets = self.reached.blocks().flat_map(|block| {
            let sets = self.reached.value_sets.range((block, 0)..(block + 1, 0));
            sets.map(|(object, number)| {
                let set = &self.program.value_sets[*number];
                let around = &self.design.objects[*object].name;
                Thing {
                    kind: Kind::ValueSet,
                    name: joined(around, &name_of(&set.annotations, &set.name)),
                    annotations: set.annotations.clone(),
                    span: set.span,
                    what: What::ValueSet(*number),
                }
            })
        });
        sets.collect()
    }

    fn thing(&mut self, info: Message, thing: &Thing) -> Message {
        match &thing.what {
            What::Table(number) => info.message(2, "tables", self.table(*number, thing)),
            What::Action(number) => info.message(3, "actions", self.action(*number, thing)),
            What::ValueSet(number) => info.message(10, "value_sets", self.set(*number, thing)),
            What::Header(number) => {
                let header = self.controller_header(*number, thing);
                info.message(9, "controller_packet_metadata", header)
            }
            What::Digest(of) => {
                let digest = Message::new().message(1, "preamble", self.preamble(thing, &[]));
                let spec = self.type_spec(of);
                info.message(12, "digests", digest.message(2, "type_spec", spec))
            }
            What::Object(number, table) => self.object(info, *number, *table, thing),
        }
    }

    /// Who it is, `Preamble`.
    fn preamble(&mut self, thing: &Thing, without: &[&str]) -> Message {
        let preamble = Message::new()
            .number(1, "id", self.symbols.id(thing.kind, &thing.name))
            .text_of(2, "name", &thing.name)
            .text_of(3, "alias", &self.symbols.alias(&thing.name));
        self.annotated(preamble, &thing.annotations, PREAMBLE, without)
    }

    /// Which program it is, `PkgInfo`.
    fn package(&mut self, said: &[Annotation]) -> Message {
        const TEXTS: [(&str, u32); 5] = [
            ("name", 1),
            ("version", 2),
            ("organization", 6),
            ("contact", 7),
            ("url", 8),
        ];
        const NUMBERS: [(&str, u32); 3] = [
            ("multicast_group_table_size", 1),
            ("multicast_group_table_total_replicas", 2),
            ("multicast_group_table_max_replicas_per_entry", 3),
        ];
        let mut arch = self.architecture.name.clone();
        let mut package = Message::new();
        let texts = find(said, "pkginfo").map(annotations::pairs);
        for (key, span, value) in texts.into_iter().flatten() {
            let Some(Value::Text(text)) = value else {
                let message = format!("`{key}` is a text");
                self.refuse::<()>(span, message, "write it in quotes");
                continue;
            };
            if key == "arch" {
                arch = text;
            } else if let Some((name, number)) = TEXTS.iter().find(|one| one.0 == key) {
                package = package.text_of(*number, name, &text);
            }
        }
        package = package.text_of(5, "arch", &arch);
        let properties = find(said, "platform_property");
        if let Some(properties) = properties {
            let mut platform = Message::new();
            for (key, span, value) in annotations::pairs(properties) {
                let number = match value {
                    Some(Value::Number(number)) => i32::try_from(number).ok(),
                    _ => None,
                };
                let known = NUMBERS.iter().find(|one| one.0 == key);
                match (known, number) {
                    (Some((name, place)), Some(number)) => {
                        platform = platform.number(*place, name, number);
                    }
                    (Some(_), None) => {
                        let message = format!("`{key}` is a number of 32 bits");
                        self.refuse::<()>(span, message, "write the number alone");
                    }
                    (None, _) => {}
                }
            }
            package = package.message(11, "platform_properties", platform);
        }
        // What was said above is not said again, in brackets or not.
        let others = said.iter().filter(|one| {
            let name = one.name.text.as_str();
            name != "pkginfo" && name != "platform_property"
        });
        let others: Vec<Annotation> = others.cloned().collect();
        self.annotated(package, &others, Fields::new(4, 9, Some(3)), &[])
    }

    /// The digests that programs send with a function, once for each type.
    fn digests(&mut self) -> Vec<Thing> {
        let mut things: Vec<Thing> = Vec::new();
        let mut unnamed = 0;
        for (number, types, span) in &self.reached.calls {
            let function = &self.program.functions[*number];
            let [of] = types.as_slice() else { continue };
            if Some(function.name.as_str()) != self.architecture.digest_function {
                continue;
            }
            let name = match of {
                Type::Record(number) => self.record_name(*number),
                _ => String::new(),
            };
            // A tuple has no name, and neither has what a program only writes down.
            let name = match name.as_str() {
                "" => {
                    unnamed += 1;
                    format!("digest_{}", unnamed - 1)
                }
                _ => name,
            };
            if things.iter().all(|one| one.name != name) {
                things.push(Thing {
                    kind: Kind::Digest,
                    name,
                    annotations: Vec::new(),
                    span: *span,
                    what: What::Digest(of.clone()),
                });
            }
        }
        things
    }
}
