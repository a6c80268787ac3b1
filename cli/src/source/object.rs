//! XDP object files.

use super::{Form, Given, Loaded, Source};
use crate::arguments::ObjectArguments;
use crate::files;
use crate::notes;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ebpf::{LoadOptions, Object, ProgramImage, SectionContents};
use hardpath_ir::count::counted;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

pub struct ObjectFile;

impl Source for ObjectFile {
    fn title(&self) -> &'static str {
        "an object file"
    }

    fn knows(&self, _: &Path, bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x7fELF")
    }

    fn takes_object_options(&self) -> bool {
        true
    }

    fn load(&self, given: &Given) -> Result<Loaded, Vec<Diagnostic>> {
        let arguments = &given.arguments.object;
        let mut object = hardpath_ebpf::load(&given.bytes, &given.name(), &options(arguments)?)
            .map_err(|errors| {
                errors
                    .into_iter()
                    .map(|error| said_of(error, given))
                    .collect::<Vec<_>>()
            })?;
        let image = object
            .choose(arguments.program.as_deref())
            .map_err(|error| vec![error])?
            .clone();
        take_in_others(&mut object, arguments)?;
        let lift = match given.form {
            Form::Usual => hardpath_ebpf::lift_noting,
            Form::Structured => hardpath_ebpf::lift_structured,
        };
        let lifted = lift(&object, &image)
            .map_err(|errors| with_refusals_of_part(errors, &object, &image, given))?;
        let instructions = image.insns.len();
        let described = format!(
            "section {}, {}",
            image.section,
            counted(instructions, "instruction")
        );
        Ok(Loaded {
            warnings: notes::of(&object, &image, &lifted),
            section: Some(image.section.clone()),
            instructions: Some(instructions),
            set: set_by(arguments),
            dropped_calls: hardpath_ebpf::event_calls(&object, &image),
            locks: locks(&object),
            for_kernel: Some((object, image)),
            ..Loaded::new(described, lifted.program)
        })
    }
}

/// Of a source, or of nothing at all, more can be said than that it is no object.
fn said_of(error: Diagnostic, given: &Given) -> Diagnostic {
    let path = &given.arguments.file;
    if error.code != "not-an-elf" {
        return error;
    }
    if given.bytes.is_empty() {
        return Diagnostic {
            message: String::from("the file is empty"),
            ..error
        };
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("c") => {
            let (source, object) = (path.display(), path.with_extension("o"));
            error.help(format!(
                "this is a source; compile it first: clang -O2 -g -target bpf -c {source} -o {}",
                object.display()
            ))
        }
        _ => error,
    }
}

/// The objects of whose programs tail calls go to some.
fn take_in_others(object: &mut Object, arguments: &ObjectArguments) -> Result<(), Vec<Diagnostic>> {
    let mut files: BTreeMap<&Path, Vec<_>> = BTreeMap::new();
    for entry in &arguments.prog_array {
        if let Some(file) = &entry.file {
            let entries = files.entry(file).or_default();
            entries.push((entry.at.clone(), entry.program.clone()));
        }
    }
    for (file, entries) in files {
        let bytes = files::read(file).map_err(|error| vec![error])?;
        let of_any = LoadOptions {
            btf: arguments.btf.clone(),
            drop_events: arguments.drop_events,
            as_xdp: arguments.as_xdp,
            ..LoadOptions::default()
        };
        let other = hardpath_ebpf::load(&bytes, &file.display().to_string(), &of_any)?;
        object.take_in(other, &entries)?;
    }
    Ok(())
}

fn options(arguments: &ObjectArguments) -> Result<LoadOptions, Vec<Diagnostic>> {
    let sections = arguments.rodata.iter().map(|(section, path)| {
        Ok(SectionContents {
            section: section.clone(),
            origin: path.display().to_string(),
            bytes: files::read(path)?,
        })
    });
    let sections = sections.collect::<Result<_, _>>();
    // Read only where a program needs it, and yet a wrong name is no matter of the program.
    if let Some(btf) = &arguments.btf {
        files::check_readable(btf).map_err(|error| vec![error])?;
    }
    Ok(LoadOptions {
        program: arguments.program.clone(),
        max_entries: arguments.max_entries.iter().cloned().collect(),
        btf: arguments.btf.clone(),
        prog_array: (arguments.prog_array.iter())
            .filter(|entry| entry.file.is_none())
            .filter_map(|entry| Some((entry.at.clone(), entry.program.clone()?)))
            .collect(),
        drop_events: arguments.drop_events,
        as_xdp: arguments.as_xdp,
        sections: sections.map_err(|error| vec![error])?,
        globals: arguments.set.clone(),
    })
}

/// Bytes of `struct bpf_spin_lock`.
const LOCK_BYTES: usize = 4;

fn locks(object: &Object) -> BTreeMap<String, Range<usize>> {
    let locks = object.maps.iter().filter_map(|map| {
        let lock = map.lock_offset? as usize;
        Some((map.name.clone(), lock..lock + LOCK_BYTES))
    });
    locks.collect()
}

fn set_by(arguments: &ObjectArguments) -> Vec<String> {
    let sections = arguments.rodata.iter();
    let sections = sections.map(|(section, file)| format!("{section} of {}", file.display()));
    let values = arguments.set.iter();
    sections
        .chain(values.map(|(name, value)| format!("{name}={value}")))
        .map(|said| said.replace(char::is_control, " "))
        .collect()
}

/// What cannot be lifted must not hide what the compiler would refuse next, as far as the rest shows it.
fn with_refusals_of_part(
    mut errors: Vec<Diagnostic>,
    object: &Object,
    image: &ProgramImage,
    given: &Given,
) -> Vec<Diagnostic> {
    if errors
        .iter()
        .all(|error| error.severity == Severity::Refused)
    {
        let part = hardpath_ebpf::lift_in_part(object, image);
        let asked = given.asked;
        errors.extend(part.map_or(Vec::new(), |part| asked.kind.target.refusals(part, asked)));
    }
    errors
}
