//! P4 sources.

mod heard;
mod judge;

pub use heard::Heard;
pub use judge::Reference as Listener;

use super::{Form, Given, Loaded, Source};
use crate::arguments::{P4Arguments, P4SourceArguments, P4Version};
use crate::files;
use crate::target::Asked;
use crate::ways::{self, SharedMemory, Ways};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_ir::maps::Image;
use hardpath_ir::{MapDecl, MapId};
use hardpath_p4::commands::Command;
use hardpath_p4::design::{self, Design};
use hardpath_p4::entries;
use hardpath_p4::interpreter::first_tables;
use hardpath_p4::lower::finding::Way;
use hardpath_p4::lower::run::{Device, Running};
use hardpath_p4::lower::{self, Deparse, Lowered};
use hardpath_p4::p4info::{p4info, Message};
use hardpath_p4::p4runtime;
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Engine, Verdict};
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_packet::Fate;
use std::cell::RefCell;
use std::path::Path;

pub struct P4;

impl Source for P4 {
    fn title(&self) -> &'static str {
        "a P4 source"
    }

    fn knows(&self, path: &Path, _: &[u8]) -> bool {
        path.extension().is_some_and(|ending| ending == "p4")
    }

    fn takes_object_options(&self) -> bool {
        false
    }

    fn takes_p4_options(&self) -> bool {
        true
    }

    fn load(&self, given: &Given) -> Result<Loaded, Vec<Diagnostic>> {
        let arguments = &given.arguments.p4;
        let mut read = Read::of(&given.arguments.file, &arguments.source)?;
        if let Some(depth) = given.arguments.depth {
            read.design.depth = depth;
        }
        let lowered = read.lowered(given.asked)?;
        let mut loaded = read.loaded(&lowered)?;
        let info = p4info(&read.program, &read.sources, &read.design)?;
        let entries = read.entries(arguments, &info)?;
        loaded.contents = read.contents(&lowered, &entries)?;
        let first = first_tables(&read.program, &read.sources, &read.design)?;
        loaded.layouts = lowered.layouts(&read.program, &read.design, &info, &first);
        loaded.ways = told_ways(&lowered, &read.design);
        loaded.shared = shared(&lowered, &read.design);
        loaded.first = read.contents(&lowered, &[])?;
        loaded.beside = vec![
            ("p4info.txtpb", info.text().into_bytes()),
            ("p4info.bin", info.bytes()),
        ];
        loaded.meaning = Some(Meaning {
            read,
            lowered,
            entries,
            heard: RefCell::default(),
        });
        match given.form {
            Form::Structured => Ok(loaded),
            Form::Usual => loaded.without_loops(),
        }
    }
}

/// A P4 program, checked and with its objects.
pub struct Read {
    pub program: Program,
    pub sources: Sources,
    pub design: Design,
}

/// What a source means, whatever became of it.
pub struct Meaning {
    read: Read,
    lowered: Lowered,
    /// What is done before the first packet.
    entries: Vec<Command>,
    /// What the program said to the judge that was made last.
    heard: RefCell<Heard>,
}

impl Meaning {
    /// The program says something beside its packets.
    pub fn speaks(&self) -> bool {
        !self.lowered.unheard.is_empty()
    }

    /// What the program has said so far.
    pub fn heard(&self) -> Heard {
        self.heard.borrow().clone()
    }
}

/// What a source is read with.
fn options(arguments: &P4SourceArguments) -> Options {
    Options {
        folders: arguments.include.clone(),
        defines: Vec::new(),
    }
}

/// A source that is right.
///
/// # Errors
/// Everything that is wrong with it.
pub fn checked(
    file: &Path,
    arguments: &P4SourceArguments,
) -> Result<(Program, Sources), Vec<Diagnostic>> {
    let options = options(arguments);
    match arguments.std {
        P4Version::P4_14 => hardpath_p4::load_14(file, &options),
        P4Version::P4_16 => hardpath_p4::load(file, arguments.arch.as_deref(), &options),
    }
}

impl Read {
    /// # Errors
    /// Everything that is wrong with the source.
    pub fn of(file: &Path, arguments: &P4SourceArguments) -> Result<Read, Vec<Diagnostic>> {
        let (program, sources) = checked(file, arguments)?;
        let design = design::design(&program, &sources)?;
        Ok(Read {
            program,
            sources,
            design,
        })
    }

    /// # Errors
    /// What hardware does not do.
    pub fn lowered(&self, asked: &Asked) -> Result<Lowered, Vec<Diagnostic>> {
        let deparse = match asked.kind.target.takes_loops() {
            true => Deparse::Memory,
            false => Deparse::Front,
        };
        let weigh = |decl: &MapDecl| ways::weight(decl, asked.family.name);
        let (program, sources, design) = (&self.program, &self.sources, &self.design);
        lower::lower_weighed(program, sources, design, deparse, Some(&weigh))
    }

    /// What a file of entries does before the first packet.
    ///
    /// # Errors
    /// `p4-commands`: what is wrong with it.
    fn entries(
        &self,
        arguments: &P4Arguments,
        info: &Message,
    ) -> Result<Vec<Command>, Vec<Diagnostic>> {
        let Some(path) = &arguments.entries else {
            return Ok(Vec::new());
        };
        let text = files::read_text(path).map_err(|error| vec![error])?;
        let name = path.display().to_string();
        match p4runtime::looks_so(&text) {
            true => p4runtime::read(&name, &text, info),
            false => entries::read(&name, &text),
        }
    }

    /// What tables and registers hold before the first packet: what the program says, and what a file of entries does.
    ///
    /// # Errors
    /// `p4-entries`, `p4-commands`: what does not fit.
    fn contents(&self, lowered: &Lowered, commands: &[Command]) -> Result<Image, Vec<Diagnostic>> {
        let image = RefCell::new(Image::new());
        let device = Contents {
            program: &lowered.program,
            image: &image,
        };
        let (program, sources, design) = (&self.program, &self.sources, &self.design);
        let mut running = Running::new(device, lowered, program, sources, design)?;
        self.fill(&mut running, commands)?;
        drop(running);
        Ok(image.into_inner())
    }

    /// Does what stands in a file of entries.
    ///
    /// # Errors
    /// As [`Read::contents`].
    fn fill(&self, engine: &mut impl Engine, commands: &[Command]) -> Result<(), Vec<Diagnostic>> {
        match runner::run(engine, &self.program, &self.sources, &self.design, commands)? {
            Verdict::Passed => Ok(()),
            Verdict::Failed(errors) => Err(errors),
            Verdict::Refused(error) => Err(vec![error]),
        }
    }

    /// As all commands have programs.
    ///
    /// # Errors
    /// A defect: the program breaks a rule of the IR.
    pub fn loaded(&self, lowered: &Lowered) -> Result<Loaded, Vec<Diagnostic>> {
        super::text::verify(&lowered.program, &self.sources.file(0).name)?;
        let tables = counted(self.design.tables.len(), "table");
        Ok(described(lowered, format!("P4, {tables}")))
    }
}

/// How tables find their entries.
fn told_ways(lowered: &Lowered, design: &Design) -> Vec<Ways> {
    let choices = lowered.choices.iter();
    let ways = choices.map(|choice| {
        let own = Way {
            finding: choice.finding,
            expands: choice.promise.is_some(),
        };
        let all = choice.all.iter();
        Ways {
            table: design.tables[choice.table].name.clone(),
            chosen: own.word(),
            why: choice.why.clone(),
            promise: choice.promise,
            all: all.map(|(way, decl)| (way.word(), decl.clone())).collect(),
        }
    });
    ways.collect()
}

/// Memories that tables share.
fn shared(lowered: &Lowered, design: &Design) -> Vec<SharedMemory> {
    let named =
        |(table, decl): &(usize, MapDecl)| (design.tables[*table].name.clone(), decl.clone());
    let all = lowered.shared.iter().map(|shared| SharedMemory {
        name: shared.name.clone(),
        map: shared.map.clone(),
        tables: shared.tables.iter().map(named).collect(),
    });
    all.collect()
}

/// A program as all commands have programs.
fn described(lowered: &Lowered, described: String) -> Loaded {
    Loaded {
        warnings: [&lowered.warnings[..], &lowered.unheard].concat(),
        ..Loaded::new(described, lowered.program.clone())
    }
}

/// What keeps a lowered program from becoming a pipeline, or rows of a core, if anything does.
pub fn refused(lowered: &Lowered, asked: &Asked) -> Option<String> {
    let target = asked.kind.target;
    let loaded = super::text::verify(&lowered.program, "tried")
        .and_then(|()| described(lowered, "P4".into()).for_target(target));
    let made = loaded.and_then(|loaded| match target.takes_loops() {
        true => crate::target::core::rows(&loaded, asked).map(|_| ()),
        false => crate::target::compile(&loaded, asked).map(|_| ()),
    });
    let errors = made.err()?;
    errors.first().map(|error| error.message.clone())
}

/// A device that no packet comes to: what its tables are given.
struct Contents<'a> {
    program: &'a hardpath_ir::Program,
    image: &'a RefCell<Image>,
}

impl Contents<'_> {
    fn name(&self, map: MapId) -> String {
        self.program.maps[map].name.clone()
    }
}

impl Device for Contents<'_> {
    fn packet(&mut self, _: u32, _: &[u8], _: u64) -> Result<Fate, Diagnostic> {
        Err(Diagnostic::input(
            "p4-commands",
            "a file of entries sends no packets",
        ))
    }

    fn update(&mut self, map: MapId, key: &[u8], value: &[u8]) -> Result<(), String> {
        let mut image = self.image.borrow_mut();
        let entries = image.entry(self.name(map)).or_default();
        entries.insert(key.to_vec(), value.to_vec());
        let most = self.program.maps[map].max_entries;
        match entries.len() > most as usize {
            true => Err(format!("the table has room for {most} entries")),
            false => Ok(()),
        }
    }

    fn delete(&mut self, map: MapId, key: &[u8]) {
        let name = self.name(map);
        if let Some(entries) = self.image.borrow_mut().get_mut(&name) {
            entries.remove(key);
        }
    }

    fn value(&mut self, map: MapId, key: &[u8]) -> Option<Vec<u8>> {
        let image = self.image.borrow();
        image.get(&self.name(map))?.get(key).cloned()
    }
}
