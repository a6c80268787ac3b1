//! P4_14 sources: a translator to P4_16 for v1model.
//!
//! ```text
//! files ─► preprocess (as for P4_16) ─► reader: the tree (tree) ─► known, headers: what there is, by its names
//!       ─► states, actions, tables, controls, checksums, …: the text of a program (writer)
//! ```
//!
//! The language is that of the P4_14 specification, version 1.0.5; sections that comments and messages in here name are its own. What the
//! specification leaves to the target is as on the simple switch, whose architecture v1model is: its fields of metadata, and that a packet
//! whose parser has failed goes on to ingress, unless the program says something of exceptions.
//!
//! * Names that the control plane sees (tables, actions and their parameters, fields of keys, counters, …) are those of the source:
//!   annotations keep them where P4_16 needs others.
//! * P4_14 widens and cuts values as it needs to; the text says so with casts (`values`).
//! * What actions call and what controls call stands in its place. A table that both pipelines apply would be two, and is refused.
//! * The deparser emits headers in an order in which the parser can find them (`order`).
//! * A calculation leaves out fields of headers that are not valid: there is one for each set of headers that can be (`lists`).
//!
//! Not translated, with an error that says so: what v1model does not have (direct registers, clones into ingress), and externs of P4_14 1.1.
//! Of these not a word: the keys of an action selector are as they are, also of headers that are not valid; a counter's `saturating` is
//! left to the target; tables that no control applies are left out.

mod actions;
mod checksums;
mod conditions;
mod controls;
mod headers;
mod known;
mod lists;
mod names;
mod order;
mod primitives;
mod reader;
mod standard;
mod stateful;
mod states;
mod tables;
mod translator;
mod tree;
mod values;
mod writer;

use crate::ast::Name;
use crate::lexer::Token;
use crate::preprocess::{self, Options};
use crate::source::Sources;
use controls::Pipeline;
use hardpath_diagnostic::Diagnostic;
use headers::Kept;
use names::{Kind, Names};
use states::{Parsing, FIRST};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use translator::{Told, Translator};
use writer::Writer;

/// The text of the P4_16 program for v1model that means what a P4_14 program means.
///
/// # Errors
/// `cannot-read`, `p4-preprocessor`, `p4-syntax`, `p4-name`, `p4-14`: everything that is wrong with it, and what cannot be translated.
pub fn translate(path: &Path, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let tokens = preprocess::file(&mut sources, path, options)?;
    translate_tokens(&sources, &tokens)
}

/// The tree of that program, and the text that it was read from.
///
/// # Errors
/// As for [`translate`]. What is wrong with the text has its place in it.
pub fn parse(
    path: &Path,
    options: &Options,
) -> Result<(crate::ast::Program, Sources), Vec<Diagnostic>> {
    let text = translate(path, options)?;
    let mut sources = Sources::default();
    let number = sources.add(format!("{} in P4_16", path.display()), text);
    let tokens = preprocess::run(&mut sources, number, &Options::default())?;
    let program = crate::parser::program(&sources, &tokens)?;
    Ok((program, sources))
}

/// What [`translate`] gives, of tokens that were read already.
///
/// # Errors
/// As for [`translate`], but those of files.
pub fn translate_tokens(sources: &Sources, tokens: &[Token]) -> Result<String, Vec<Diagnostic>> {
    let mut program = reader::program(sources, tokens)?;
    known::name_primitives(&mut program);
    let mut errors = Vec::new();
    let known = known::known(sources, &program, &mut errors);
    let headers = headers::headers(sources, &known, &program, &mut errors);
    let mut translator = Translator {
        sources,
        program: &program,
        known: &known,
        headers: &headers,
        names: Names::new(),
        errors,
        bodies: BTreeMap::new(),
        signatures: BTreeMap::new(),
        written: BTreeSet::new(),
        metered: BTreeMap::new(),
        kept_lists: BTreeMap::new(),
    };
    let text = translator.text();
    match translator.errors.is_empty() {
        true => Ok(text),
        false => Err(in_order(translator.errors)),
    }
}

/// Errors as they stand in the files, each once: an action is looked at for each pipeline that it is in.
fn in_order(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(|error| {
        let place = error.place.as_ref();
        place.map(|place| (place.file.clone(), place.line, place.column))
    });
    errors.dedup();
    errors
}

impl<'a> Translator<'a> {
    /// The two pipelines: what the parser goes on to, and `egress`.
    fn pipelines(&mut self, parsing: &Parsing) -> [Pipeline<'a>; 2] {
        let program = self.program;
        let names = || program.controls.iter().map(|control| &control.name);
        let number = |name: &Name| {
            let mut first = parsing.controls.iter();
            first.position(|known| known.text == name.text)
        };
        let mut ingress: Vec<&'a Name> = names().filter(|name| number(name).is_some()).collect();
        ingress.sort_by_key(|name| number(name));
        let egress = names().filter(|name| name.text == "egress").collect();
        let pipelines = [ingress, egress].map(|controls| self.pipeline(controls));
        for table in &program.tables {
            let name = table.name.text.as_str();
            if pipelines
                .iter()
                .all(|pipeline| pipeline.tables.contains(name))
            {
                let message = format!("`{name}` is applied in ingress and in egress: in P4_16 a table is in one of them");
                let _: Result<(), Told> = self.error(table.name.span, message);
            }
        }
        pipelines
    }

    /// The whole program; where something is wrong, an error says so.
    fn text(&mut self) -> String {
        self.name_all();
        self.check_direct();
        self.check_static();
        let mut parsing = self.parsing();
        let [ingress, egress] = self.pipelines(&parsing);
        let program = self.program;
        self.number_lists();

        let mut writer = Writer::default();
        for line in [
            "#include <core.p4>",
            "#define V1MODEL_VERSION 20200408",
            "#include <v1model.p4>",
        ] {
            writer.line(line);
        }
        writer.blank();
        self.write_errors(&parsing, &mut writer);
        let kept = self.kept();
        let more: Vec<String> = (parsing.controls.len() > 1)
            .then(|| format!("bit<8> {FIRST};"))
            .into_iter()
            .collect();
        headers::write(
            self.headers,
            &program.instances,
            &kept,
            &mut self.names,
            &more,
            &mut writer,
        );
        self.digests(&mut writer);
        self.parser(&mut parsing, &mut writer);
        self.checksums(false, &mut writer);
        self.shared(&mut writer);
        self.control("ingress", &ingress, Some(&parsing), &mut writer);
        self.control("egress", &egress, None, &mut writer);
        self.unused([&ingress, &egress]);
        self.checksums(true, &mut writer);
        self.deparser(&mut writer);
        writer.line("V1Switch(ParserImpl(), verifyChecksum(), ingress(), egress(), computeChecksum(), DeparserImpl()) main;");
        writer.finish()
    }

    /// Gives names to what the control plane sees first, so that most of it is called as in the source.
    fn name_all(&mut self) {
        let program = self.program;
        let mut all: Vec<(Kind, &Name)> = Vec::new();
        all.extend(program.actions.iter().map(|one| (Kind::Action, &one.name)));
        all.extend(program.tables.iter().map(|one| (Kind::Table, &one.name)));
        all.extend(
            program
                .counters
                .iter()
                .map(|one| (Kind::Counter, &one.name)),
        );
        all.extend(program.meters.iter().map(|one| (Kind::Meter, &one.name)));
        all.extend(
            program
                .registers
                .iter()
                .map(|one| (Kind::Register, &one.name)),
        );
        all.extend(
            program
                .profiles
                .iter()
                .map(|one| (Kind::Profile, &one.name)),
        );
        all.extend(
            program
                .value_sets
                .iter()
                .map(|one| (Kind::ValueSet, &one.name)),
        );
        all.extend(program.states.iter().map(|one| (Kind::State, &one.name)));
        for (kind, name) in all {
            self.names.of(kind, &name.text);
        }
    }

    /// Numbers the lists by which packets keep fields when they go round, and looks for what may not be in them.
    fn number_lists(&mut self) {
        for call in self.calls() {
            let Some(list) = primitives::kept_list(&call).and_then(primitives::name_of) else {
                continue;
            };
            let known = self.known;
            if !known.lists.has(&list.text) {
                let error = known.lists.unknown(self.sources, list);
                self.tell(error);
            } else if !self.kept_lists.contains_key(&list.text) {
                // Number 0 is the list that keeps nothing.
                let number = self.kept_lists.len() + 1;
                if number > 255 {
                    let _: Result<(), Told> =
                        self.error(list.span, "v1model has at most 255 lists of fields to keep");
                }
                self.kept_lists.insert(list.text.clone(), number);
            }
        }
    }

    /// Looks at tables that nothing applies, and at actions that no table has and no other one calls, too: what is wrong with them is wrong. What is called is looked at where
    /// its parameters are known to be fields, headers or values.
    fn unused(&mut self, pipelines: [&Pipeline<'a>; 2]) {
        let program = self.program;
        for table in &program.tables {
            let name = table.name.text.as_str();
            if !pipelines
                .iter()
                .any(|pipeline| pipeline.tables.contains(name))
            {
                let mut nowhere = Writer::default();
                self.actions(&[table], &mut nowhere);
                let _ = self.table(table, &mut nowhere);
            }
        }
        let calls = program.actions.iter().flat_map(|action| &action.calls);
        self.written
            .extend(calls.map(|call| call.name.text.clone()));
        for action in &program.actions {
            if !self.written.contains(&action.name.text) {
                let _ = self.action(&action.name, &action.name.text, &[], &mut Writer::default());
            }
        }
    }

    /// What all actions do.
    fn calls(&mut self) -> Vec<tree::Call> {
        let program = self.program;
        let mut all = Vec::new();
        for action in &program.actions {
            if let Ok(body) = self.body(&action.name) {
                let is_list = |call: &&tree::Call| {
                    primitives::kept_list(call).is_some() || primitives::digest_list(call).is_some()
                };
                all.extend(body.iter().filter(is_list).cloned());
            }
        }
        all
    }

    /// Which lists keep which fields. What the target sets itself it sets again.
    fn kept(&mut self) -> Kept {
        let mut kept = Kept::new();
        for (list, number) in self.kept_lists.clone() {
            let known = self.known;
            let Some(list) = known.lists.get(&list) else {
                continue;
            };
            let Ok(entries) = self.entries(&list.name) else {
                continue;
            };
            for entry in &entries.all {
                let (Some(field), Some(place)) = (&entry.field, &entry.place) else {
                    continue;
                };
                if place.header.is_some() {
                    let message = format!(
                        "packets that go round keep metadata only, and `{}` has a field of a header (§9.1)",
                        list.name.text
                    );
                    let _: Result<(), Told> = self.error(list.name.span, message);
                    break;
                }
                if !place.is_standard {
                    kept.entry(field.clone()).or_default().insert(number);
                }
            }
        }
        kept
    }

    /// A struct for each list that goes to the control plane.
    fn digests(&mut self, writer: &mut Writer) {
        let mut written = BTreeSet::new();
        for call in self.calls() {
            let Some(list) = primitives::digest_list(&call).and_then(primitives::name_of) else {
                continue;
            };
            let Ok(entries) = self.entries(list) else {
                continue;
            };
            if !written.insert(list.text.clone()) {
                continue;
            }
            let name = self.names.of(Kind::Digest, &list.text);
            let annotation = names::annotation(&name, &list.text);
            writer.open(&format!("{annotation}struct {name} {{"));
            let mut fields = BTreeSet::new();
            for entry in &entries.all {
                let wanted = match &entry.field {
                    Some((_, field)) => field.as_str(),
                    None => "constant",
                };
                let field = names::field(wanted, &fields);
                fields.insert(field.clone());
                writer.line(&format!("{} {field};", entry.word.text()));
            }
            writer.close();
        }
    }

    fn deparser(&mut self, writer: &mut Writer) {
        writer.open("control DeparserImpl(packet_out packet, in headers hdr) {");
        writer.open("apply {");
        for node in self.order() {
            // What is no header was told where it is extracted.
            if let Some(held) = self.headers.held.get(node.header) {
                let index = node.index.map(|index| format!("[{index}]"));
                let index = index.unwrap_or_default();
                writer.line(&format!("packet.emit(hdr.{}{index});", held.given));
            }
        }
        writer.close();
        writer.close();
    }
}
