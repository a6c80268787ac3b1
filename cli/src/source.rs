//! Where programs come from. A source is a file here and a line in [`SOURCES`]: it knows a file of its kind, and makes a program
//! of it.

mod object;
pub mod p4;
pub mod text;

use crate::arguments::ProgramArguments;
use crate::files;
use crate::target::{Asked, Target};
use crate::ways::{SharedMemory, Ways};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{EventCall, Object, ProgramImage};
use hardpath_ir::maps::Image;
use hardpath_ir::{Phase, Program};
use hardpath_p4::lower::layout::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// A form that programs are written in.
trait Source: Sync {
    /// For messages: `text of the program IR`.
    fn title(&self) -> &'static str;
    /// Whether this is a file of its kind, whatever may be wrong with it.
    fn knows(&self, path: &Path, bytes: &[u8]) -> bool;
    /// Whether it has a use for the options on objects.
    fn takes_object_options(&self) -> bool;
    /// Whether it has a use for the options on P4 sources.
    fn takes_p4_options(&self) -> bool {
        false
    }
    /// What the file means.
    ///
    /// # Errors
    /// Everything that is wrong with the file, or that nobody compiles, each with its place.
    fn load(&self, given: &Given) -> Result<Loaded, Vec<Diagnostic>>;
}

/// All of them. The last one takes what no other one knows, and says what is wrong with it.
const SOURCES: [&dyn Source; 3] = [&p4::P4, &text::Text, &object::ObjectFile];

/// What a source makes of loops.
#[derive(Clone, Copy)]
pub enum Form {
    /// Without loops: whatever all targets take.
    Usual,
    /// Loops stay loops.
    Structured,
}

/// A file, and what the command line says of it.
struct Given<'a> {
    form: Form,
    bytes: Vec<u8>,
    arguments: &'a ProgramArguments,
    asked: &'a Asked,
}

impl Given<'_> {
    /// The file, as the command line has it.
    fn name(&self) -> String {
        self.arguments.file.display().to_string()
    }
}

/// A program, and what is known of it beside what it means.
pub struct Loaded {
    /// As its source gives it, before any pass.
    pub program: Program,
    /// What it is, beside its name: `section xdp, 41 instructions`.
    pub described: String,
    /// Of an object.
    pub section: Option<String>,
    /// Of an object: how many instructions it is there.
    pub instructions: Option<usize>,
    /// What the command line says of constants: `limit=100`, `.rodata of FILE`.
    pub set: Vec<String>,
    /// The calls that do nothing in hardware; all others do what they do in the kernel.
    pub dropped_calls: Vec<EventCall>,
    /// By the name of a map: where its values hold a lock.
    pub locks: BTreeMap<String, Range<usize>>,
    /// What the kernel can be given, to judge. `None`: the program has no such form.
    pub for_kernel: Option<(Object, ProgramImage)>,
    /// What a P4 source means, to judge.
    pub meaning: Option<p4::Meaning>,
    /// What maps hold before the first packet, beside what the command line says: entries of tables.
    pub contents: Image,
    /// What maps hold by the program alone.
    pub first: Image,
    /// How keys and values of maps are laid out, where a source knows.
    pub layouts: Vec<Layout>,
    /// How tables find their entries, where there are several ways.
    pub ways: Vec<Ways>,
    /// Memories that tables share.
    pub shared: Vec<SharedMemory>,
    /// Further files for the folder of a design, by their endings.
    pub beside: Vec<(&'static str, Vec<u8>)>,
    /// What is to be said of the program, whatever becomes of it.
    pub warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// A program of which nothing else is known.
    pub fn new(described: String, program: Program) -> Loaded {
        Loaded {
            program,
            described,
            section: None,
            instructions: None,
            set: Vec::new(),
            dropped_calls: Vec::new(),
            locks: BTreeMap::new(),
            for_kernel: None,
            meaning: None,
            contents: Image::new(),
            first: Image::new(),
            layouts: Vec::new(),
            ways: Vec::new(),
            shared: Vec::new(),
            beside: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The maps that the program has: those that it can come to with the constants as they are. The report, map files and
    /// the judge go by them.
    pub fn map_names(&self) -> BTreeSet<String> {
        let maps = self.program.maps.values();
        maps.map(|map| map.name.clone()).collect()
    }

    /// As the target takes it.
    ///
    /// # Errors
    /// As [`Loaded::without_loops`].
    pub fn for_target(self, target: &dyn Target) -> Result<Loaded, Vec<Diagnostic>> {
        match target.takes_loops() {
            true => Ok(self),
            false => self.without_loops(),
        }
    }

    /// The same without loops, calls and whole operations, as most targets take it.
    ///
    /// # Errors
    /// A loop whose bound nobody knows, and what would be too large; with the line.
    pub fn without_loops(mut self) -> Result<Loaded, Vec<Diagnostic>> {
        if self.program.phase == Phase::Structured {
            hardpath_passes::lower_structured(&mut self.program)?;
        }
        Ok(self)
    }

    /// What is to be said beside an answer: of the program, and of the hardware where it became some.
    pub fn warnings_with(&self, of_hardware: &[Diagnostic]) -> Vec<Diagnostic> {
        [self.warnings.as_slice(), of_hardware].concat()
    }
}

/// Reads the program that the command line names, and what is asked of its hardware: that can be part of what is refused.
///
/// # Errors
/// As those of its source; `option-needs-object`.
pub fn load(arguments: &ProgramArguments, asked: &Asked) -> Result<Loaded, Vec<Diagnostic>> {
    // How deep headers lie is said of programs without loops.
    let form = match asked.kind.target.takes_loops() && arguments.depth.is_none() {
        true => Form::Structured,
        false => Form::Usual,
    };
    load_in(arguments, asked, form, arguments.object.given())
}

/// The same with loops, as the command line asks for it.
///
/// # Errors
/// As [`load`].
pub fn load_structured(
    arguments: &ProgramArguments,
    asked: &Asked,
) -> Result<Loaded, Vec<Diagnostic>> {
    let options = [arguments.object.given(), vec!["--structured"]].concat();
    load_in(arguments, asked, Form::Structured, options)
}

fn load_in(
    arguments: &ProgramArguments,
    asked: &Asked,
    form: Form,
    options: Vec<&str>,
) -> Result<Loaded, Vec<Diagnostic>> {
    let bytes = files::read(&arguments.file).map_err(|error| vec![error])?;
    let knows = |source: &&&dyn Source| source.knows(&arguments.file, &bytes);
    let (source, last) = (SOURCES.iter().find(knows), SOURCES[SOURCES.len() - 1]);
    let source = *source.unwrap_or(&last);
    if !source.takes_object_options() && !options.is_empty() {
        return Err(vec![no_object(arguments, source, &options)]);
    }
    let of_p4 = arguments.p4.given();
    if !source.takes_p4_options() && !of_p4.is_empty() {
        return Err(vec![no_p4(arguments, source, &of_p4)]);
    }
    let given = Given {
        form,
        bytes,
        arguments,
        asked,
    };
    let mut loaded = source.load(&given)?;
    let program = &mut loaded.program;
    if let Some(depth) = arguments.depth {
        let file = arguments.file.display();
        crate::target::in_control_flow(program, "--depth")
            .and_then(|()| hardpath_passes::limit_depth(program, depth))
            .map_err(|error| vec![error.in_file(file)])?;
    }
    loaded.warnings.splice(..0, asked.notes.iter().cloned());
    Ok(loaded)
}

fn no_object(arguments: &ProgramArguments, source: &dyn Source, options: &[&str]) -> Diagnostic {
    let verb = match options.len() {
        1 => "says",
        _ => "say",
    };
    let message = format!(
        "{} {verb} something of an object file, and this is {}",
        options.join(", "),
        source.title()
    );
    Diagnostic::input("option-needs-object", message)
        .at(Place::of_file(arguments.file.display()))
        .help(format!(
            "leave {} out, or give the object that the text was made from",
            options.join(", ")
        ))
}

fn no_p4(arguments: &ProgramArguments, source: &dyn Source, options: &[&str]) -> Diagnostic {
    let options = options.join(", ");
    let message = format!(
        "{options} is for P4 sources, and this is {}",
        source.title()
    );
    Diagnostic::input("option-needs-p4", message)
        .at(Place::of_file(arguments.file.display()))
        .help(format!(
            "leave {options} out, or give a file that ends in .p4"
        ))
}
