//! An object file as hardpath sees it: its maps and its linked programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::tables::table;
use hardpath_diagnostic::{self as diagnostic, Diagnostic};
use hardpath_ir::{MapDecl, Place};
use hardpath_kernel::MapType;

use crate::constants::{SectionContents, SetBytes};
use crate::globals::Globals;
use crate::insn::Insn;
use crate::sections::{self, Hook};
use crate::{btf, btf_ext, constants, core_relocation, elf, helpers, link, map_decls, prog_array};

/// What the command line says about loading.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The program to take: a function name or a section name. [`Object::choose`] is given it by the caller.
    pub program: Option<String>,
    /// `max_entries` by map name, for maps whose size the object leaves open; overrides what the object says.
    pub max_entries: BTreeMap<String, u32>,
    /// BTF of the kernel that CO-RE relocations are resolved against. `None`: the running kernel's.
    pub btf: Option<PathBuf>,
    /// What program arrays hold, by map name and index: a function name or a section name of the same object.
    pub prog_array: BTreeMap<(String, u32), String>,
    /// Calls that tell user space something (see [`event_calls`](crate::event_calls)) do nothing.
    pub drop_events: bool,
    /// Programs are for XDP, whatever their sections say.
    pub as_xdp: bool,
    /// First contents of data sections, in place of the object's.
    pub sections: Vec<SectionContents>,
    /// Values of global variables, by name or path (`config.ports[3]`), in text form; they are set behind `sections`.
    pub globals: Vec<(String, String)>,
}

/// A loaded object file.
#[derive(Clone, Debug)]
pub struct Object {
    /// File name for messages.
    pub file: String,
    /// The text of the `license` section; `GPL` when there is none.
    pub license: String,
    /// Every map that the object declares or implies (`.data`, `.bss`, `.rodata`), also of kinds that hardpath
    /// does not build: only a program that uses such a map is refused. Behind them [`MTU_MAP`](crate::MTU_MAP), when
    /// one of the programs calls `bpf_check_mtu`.
    pub maps: Vec<ObjectMap>,
    /// Every program, XDP or not, in the order of the file.
    pub programs: Vec<ProgramImage>,
    /// The entries of program arrays that hold something.
    pub tail_calls: Vec<TailCall>,
    /// As [`LoadOptions::drop_events`] says; else [`crate::lift`] refuses programs with such calls.
    pub drops_events: bool,
    /// As [`LoadOptions::as_xdp`] says; else [`Object::choose`] refuses programs of other types.
    pub as_xdp: bool,
    /// The global variables in `maps`.
    pub globals: Globals,
    /// What of them the options set.
    pub set: Vec<SetBytes>,
}

/// An entry of a program array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TailCall {
    /// Index into [`Object::maps`].
    pub map: usize,
    /// Place in the array.
    pub index: u32,
    /// Index into [`Object::programs`].
    pub program: usize,
}

/// A map as the kernel would be asked to create it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectMap {
    /// The ELF symbol's name; for `.data`, `.bss` and `.rodata` the name that libbpf gives.
    pub name: String,
    /// `enum bpf_map_type`.
    pub map_type: u32,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of a value, of which per-CPU maps have one for each CPU.
    pub value_bytes: u32,
    /// 0: neither the object nor the options say it. [`crate::lift`] refuses a program that uses such a map.
    pub max_entries: u32,
    /// The kernel's `map_flags`.
    pub flags: u32,
    /// Where in a value its `struct bpf_spin_lock` is, in bytes.
    pub lock_offset: Option<u32>,
    /// First contents of the one entry of a `.data`, `.bss` or `.rodata` map (`value_bytes` long).
    pub initial: Option<Vec<u8>>,
    /// A `.rodata` map: the loader freezes it after filling it (`BPF_MAP_FREEZE`). It is folded into the lifted
    /// program and is no map there.
    pub read_only: bool,
}

impl ObjectMap {
    /// Its type; `None` for map types that hardpath does not build.
    pub fn kind(&self) -> Option<MapType> {
        MapType::from_number(self.map_type)
    }

    /// The declaration for the IR; `None` for map types that hardpath does not build and for `.rodata`.
    pub fn decl(&self) -> Option<MapDecl> {
        if self.read_only {
            return None;
        }
        let bytes = (self.key_bytes, self.value_bytes);
        Some(MapDecl {
            initial: self
                .initial
                .clone()
                .filter(|contents| contents.iter().any(|byte| *byte != 0)),
            ..table(self.kind()?, &self.name, bytes, self.max_entries)
        })
    }
}

/// One program, linked: the main function, then the bpf functions that it calls. CO-RE relocations are applied,
/// calls are resolved; only the maps' file descriptors are open (see [`MapRef`]).
#[derive(Clone, Debug)]
pub struct ProgramImage {
    /// Name of the function.
    pub name: String,
    /// Section that it stands in, such as `xdp`.
    pub section: String,
    /// The section says that the program knows multi-buffer packets (`xdp.frags`).
    pub frags: bool,
    /// All its slots, those of the functions that it calls behind its own.
    pub insns: Vec<Insn>,
    /// The `lddw` instructions that load a map.
    pub map_refs: Vec<MapRef>,
    /// For each slot of `insns` where it came from, as far as the debug information says.
    pub places: Vec<Place>,
    /// The functions in `insns`, in order; the first one is the program itself.
    pub functions: Vec<ObjectFunction>,
    /// What went wrong when linking this program; [`crate::lift`] reports it.
    pub problems: Vec<Diagnostic>,
}

impl ProgramImage {
    /// What it is for, as its section says.
    pub fn hook(&self) -> Hook {
        sections::hook(&self.section)
    }

    /// Whether its section says that it is no XDP program.
    fn is_of_another_type(&self) -> bool {
        matches!(self.hook(), Hook::Other(_))
    }

    /// Whether it is a program of a device map's entries, which runs when a packet leaves.
    pub fn is_for_device_map(&self) -> bool {
        self.hook() == Hook::DeviceMap
    }
}

/// A function in a linked program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectFunction {
    /// As its symbol has it.
    pub name: String,
    /// Its first slot in the program.
    pub slot: u32,
}

/// An `lddw` that loads a map's descriptor or an address inside a map. `src` of the instruction is already set; a
/// loader puts the file descriptor into `imm` of `slot` (and leaves the offset in `imm` of `slot + 1`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapRef {
    /// First slot of the `lddw`.
    pub slot: u32,
    /// Index into [`Object::maps`].
    pub map: usize,
    /// What is loaded.
    pub kind: MapRefKind,
}

/// What of a map an instruction loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapRefKind {
    /// The map itself, for helpers.
    Fd,
    /// An address in the value of entry 0.
    Value {
        /// The byte of the value.
        offset: u32,
    },
}

/// Reads an object file.
///
/// # Errors
/// All of class `Input` (what cannot be read) or `Refused` (CO-RE relocations that do not apply). Problems that
/// concern one program only are kept in [`ProgramImage::problems`].
pub fn load(
    bytes: &[u8],
    file_name: &str,
    options: &LoadOptions,
) -> Result<Object, Vec<Diagnostic>> {
    load_checked(bytes, file_name, options).map_err(|diagnostics| {
        diagnostics
            .into_iter()
            .map(|diagnostic| match diagnostic.place {
                None => diagnostic.in_file(file_name),
                Some(_) => diagnostic,
            })
            .collect()
    })
}

impl Object {
    /// The program of that function or section name; without a name the only one there is, among those that may be for
    /// XDP if there are any.
    ///
    /// # Errors
    /// `no-program`, `unknown-program`, `several-programs`, `not-xdp`; the help lists the names.
    pub fn choose(&self, name: Option<&str>) -> Result<&ProgramImage, Diagnostic> {
        let candidates = match name {
            Some(name) => self.named(name),
            None => self.nameless(),
        };
        let refused = |one: &&&ProgramImage| !self.as_xdp && one.is_of_another_type();
        if let Some(other) = candidates.iter().find(refused) {
            return Err(self.not_xdp(other));
        }
        match candidates.as_slice() {
            [program] => Ok(program),
            [] => Err(self.no_program(name)),
            several => Err(self.several_programs(name, several)),
        }
    }

    /// The programs of a name: of functions, or else of a section.
    fn named(&self, name: &str) -> Vec<&ProgramImage> {
        let all = self.programs.iter();
        let by_function: Vec<_> = all.clone().filter(|one| one.name == name).collect();
        match by_function.is_empty() {
            true => all.filter(|one| one.section == name).collect(),
            false => by_function,
        }
    }

    /// The programs that may be for XDP; where none may, all.
    fn nameless(&self) -> Vec<&ProgramImage> {
        let all = self.programs.iter();
        let may_be: Vec<_> = (all.clone())
            .filter(|one| !one.is_of_another_type())
            .collect();
        match may_be.is_empty() {
            true => all.collect(),
            false => may_be,
        }
    }

    /// What a program can be chosen by.
    fn known_names(&self) -> impl Iterator<Item = &str> {
        let programs = self.programs.iter();
        programs.flat_map(|one| [one.name.as_str(), one.section.as_str()])
    }

    fn no_program(&self, name: Option<&str>) -> Diagnostic {
        let (error, help) = match name {
            Some(name) => (
                Diagnostic::input(
                    "unknown-program",
                    format!("the object has no program {name}"),
                ),
                format!(
                    "{}it has: {}",
                    diagnostic::suggest::meant(name, self.known_names()),
                    names(self.programs.iter())
                ),
            ),
            None => (
                Diagnostic::input("no-program", "the object has no program"),
                "put the function into a section: SEC(\"xdp\")".to_string(),
            ),
        };
        error.at(diagnostic::Place::of_file(&self.file)).help(help)
    }

    fn several_programs(&self, name: Option<&str>, several: &[&ProgramImage]) -> Diagnostic {
        let message = match name {
            Some(name) => format!("section {name} has {} programs", several.len()),
            None => format!("the object has {} XDP programs", several.len()),
        };
        let names = names(several.iter().copied());
        Diagnostic::input("several-programs", message)
            .at(diagnostic::Place::of_file(&self.file))
            .help(format!("choose one with --program: {names}"))
    }

    fn not_xdp(&self, program: &ProgramImage) -> Diagnostic {
        let Hook::Other(program_type) = program.hook() else {
            unreachable!("only a program of another type is refused");
        };
        let may_be = self.programs.iter();
        let may_be: Vec<_> = may_be.filter(|one| !one.is_of_another_type()).collect();
        let others = match may_be.is_empty() {
            true => String::new(),
            false => format!(
                "; the object's other programs: {}",
                names(may_be.into_iter())
            ),
        };
        let (name, section) = (&program.name, &program.section);
        Diagnostic::refused(
            "not-xdp",
            format!("{name} is no XDP program: libbpf loads those of section {section} as BPF_PROG_TYPE_{program_type}"),
        )
        .at(section_of(&self.file, section))
        .help(format!(
            "put an XDP program into SEC(\"xdp\"); --as-xdp takes this one as one all the same{others}"
        ))
    }
}

/// Names with sections: `main (xdp), other (xdp/other)`.
fn names<'a>(programs: impl Iterator<Item = &'a ProgramImage>) -> String {
    programs
        .map(|program| format!("{} ({})", program.name, program.section))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Of a slot: `firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))`.
pub(crate) fn place_of(file: &str, image: &ProgramImage, slot: u32) -> diagnostic::Place {
    let place = image.places.get(slot as usize).cloned();
    let place = Place {
        slot,
        within: section_of(file, &image.section).into(),
        ..place.unwrap_or_default()
    };
    (&place).into()
}

/// What the slots of a program are counted in.
pub(crate) fn section_of(file: &str, section: &str) -> diagnostic::Place {
    diagnostic::Place::of_file(file).unit(format!("section {section}"))
}

fn load_checked(
    bytes: &[u8],
    file_name: &str,
    options: &LoadOptions,
) -> Result<Object, Vec<Diagnostic>> {
    let elf = elf::Elf::parse(bytes).map_err(one)?;
    let mut code = read_code(&elf).map_err(one)?;
    let btf = match elf.section(".BTF") {
        Some((_, section)) => Some(btf::Btf::parse(section.data).map_err(one)?),
        None => None,
    };
    let ext = match (&btf, elf.section(".BTF.ext")) {
        (Some(btf), Some((_, section))) => {
            Some(btf_ext::BtfExt::parse(section.data, btf).map_err(one)?)
        }
        _ => None,
    };
    let checks_mtu = code.values().any(|insns| helpers::checks_mtu(insns));
    let mut declared = map_decls::read(
        &elf,
        btf.as_ref(),
        file_name,
        checks_mtu,
        &options.max_entries,
    )?;
    let mut set = constants::replace_sections(&elf, &mut declared, &options.sections)?;
    let globals = Globals::read(&elf, btf.as_ref(), &declared);
    let by_name = constants::set_globals(&globals, &mut declared, &options.globals)?;
    set.extend(by_name);
    if let (Some(btf), Some(ext)) = (&btf, &ext) {
        core_relocation::apply(&mut code, btf, &ext.relocations, options.btf.as_deref())
            .map_err(one)?;
    }
    let kernel_functions = match &btf {
        Some(btf) => (btf.variables_of(".ksyms"))
            .map(|one| btf.type_name(one.type_id))
            .collect(),
        None => BTreeSet::new(),
    };
    let programs = link::Linker {
        file: file_name,
        elf: &elf,
        maps: &declared,
        code: &code,
        ext: ext.as_ref(),
        kernel_functions: &kernel_functions,
    }
    .programs()
    .map_err(one)?;
    let mut object = Object {
        file: file_name.to_string(),
        license: read_license(&elf),
        maps: declared.maps,
        programs,
        tail_calls: Vec::new(),
        drops_events: options.drop_events,
        as_xdp: options.as_xdp,
        globals,
        set,
    };
    object.tail_calls = prog_array::resolve(&object, options)?;
    Ok(object)
}

fn one(diagnostic: Diagnostic) -> Vec<Diagnostic> {
    vec![diagnostic]
}

/// The instructions of each executable section, and a check that its relocations are inside.
fn read_code(elf: &elf::Elf) -> Result<BTreeMap<String, Vec<Insn>>, Diagnostic> {
    let mut code = BTreeMap::new();
    for section in elf.sections.iter().filter(|section| section.executable) {
        let malformed = |reason: &str| {
            Diagnostic::input(
                "malformed-elf",
                format!("section {}: {reason}", section.name),
            )
            .help("compile the program again; the file may be cut off")
        };
        if !section.data.len().is_multiple_of(Insn::BYTES) {
            return Err(malformed(&format!(
                "its {} bytes are not a whole number of instructions",
                section.data.len()
            )));
        }
        let outside = |offset: u64| {
            !offset.is_multiple_of(Insn::BYTES as u64) || offset >= section.data.len() as u64
        };
        if let Some(relocation) = section
            .relocations
            .iter()
            .find(|relocation| outside(relocation.offset))
        {
            return Err(malformed(&format!(
                "a relocation at offset {:#x} is on no instruction",
                relocation.offset
            )));
        }
        let insns = Insn::slots(section.data);
        if code.insert(section.name.to_string(), insns).is_some() {
            return Err(malformed("there are two sections of this name"));
        }
    }
    Ok(code)
}

fn read_license(elf: &elf::Elf) -> String {
    match elf.section("license") {
        Some((_, section)) => {
            let end = section.data.iter().position(|byte| *byte == 0);
            let text = &section.data[..end.unwrap_or(section.data.len())];
            String::from_utf8_lossy(text).into_owned()
        }
        None => "GPL".to_string(),
    }
}
