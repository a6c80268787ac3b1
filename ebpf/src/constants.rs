//! What a loader writes into global variables before it loads a program: values by name, and the bytes of whole sections.

use hardpath_ir::count::counted;
use std::ops::Range;

use hardpath_diagnostic::{suggest, Diagnostic, Place};

use crate::constant_value::encode;
use crate::elf::Elf;
use crate::globals::Globals;
use crate::map_decls::DeclaredMaps;

/// The contents of a data section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionContents {
    /// The section's name, such as `.rodata`.
    pub section: String,
    /// Where the bytes come from, for messages.
    pub origin: String,
    /// As many as the section has.
    pub bytes: Vec<u8>,
}

/// Bytes of a map's first contents that the options say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetBytes {
    /// Index into the object's maps.
    pub map: usize,
    /// Of the map's first value.
    pub bytes: Range<u64>,
    /// The path by which they were set; `None`: with their whole section.
    pub path: Option<String>,
}

/// Replaces the first contents of data sections, and says which bytes these are.
///
/// # Errors
/// `section-contents`: there is no such section, or it has another size.
pub fn replace_sections(
    elf: &Elf,
    declared: &mut DeclaredMaps,
    contents: &[SectionContents],
) -> Result<Vec<SetBytes>, Vec<Diagnostic>> {
    let mut replaced = Vec::new();
    let mut problems = Vec::new();
    for new in contents {
        let found = elf.section(&new.section);
        let map = found.and_then(|(index, _)| declared.of_section(index));
        let Some(number) = map else {
            let sections = elf.sections.iter().enumerate();
            let names: Vec<&str> = sections
                .filter(|(index, _)| declared.of_section(*index).is_some())
                .map(|(_, section)| section.name)
                .collect();
            let error = Diagnostic::input(
                "section-contents",
                format!("the object has no data section {}", new.section),
            );
            let help = suggest::known(
                &new.section,
                names,
                "--rodata SECTION=FILE; it has",
                "it has none",
            );
            problems.push(error.help(help));
            continue;
        };
        let map = &mut declared.maps[number];
        let (is, has) = (map.value_bytes as usize, new.bytes.len());
        if is != has {
            let error = Diagnostic::input(
                "section-contents",
                format!(
                    "section {} has {}, and the file has {has}",
                    new.section,
                    counted(is, "byte")
                ),
            );
            let help = "give the bytes that a loader of this very object writes, all of them";
            problems.push(error.at(Place::of_file(&new.origin)).help(help));
            continue;
        }
        map.initial = Some(new.bytes.clone());
        replaced.push(SetBytes {
            map: number,
            bytes: 0..has as u64,
            path: None,
        });
    }
    match problems.is_empty() {
        true => Ok(replaced),
        false => Err(problems),
    }
}

/// Sets variables, or parts of them, to values in text form, and says which bytes these are.
///
/// # Errors
/// `unknown-global`, `global-value`.
pub fn set_globals(
    globals: &Globals,
    declared: &mut DeclaredMaps,
    values: &[(String, String)],
) -> Result<Vec<SetBytes>, Vec<Diagnostic>> {
    let mut set = Vec::new();
    let mut problems = Vec::new();
    for (path, text) in values {
        match set_global(globals, declared, path, text) {
            Ok(bytes) => set.push(bytes),
            Err(problem) => problems.push(problem),
        }
    }
    match problems.is_empty() {
        true => Ok(set),
        false => Err(problems),
    }
}

fn set_global(
    globals: &Globals,
    declared: &mut DeclaredMaps,
    path: &str,
    text: &str,
) -> Result<SetBytes, Diagnostic> {
    let (btf, part) = globals.find(path)?;
    let contents = declared.maps[part.map].initial.get_or_insert_default();
    let bytes = u64::from(btf.bytes(part.type_id).unwrap_or(0));
    let bits = part.field_bits.map_or(bytes * 8, u64::from);
    if part.first_bit.saturating_add(bits) > contents.len() as u64 * 8 {
        let message = format!("{path} lies outside of its section");
        return Err(Diagnostic::input("malformed-btf", message).help("compile again with -g"));
    }
    let value = encode(btf, part.type_id, part.field_bits, path, text)
        .map_err(|(message, help)| Diagnostic::input("global-value", message).help(help))?;
    for bit in 0..u64::from(value.bits) {
        let is_set = value.bytes[bit as usize / 8] >> (bit % 8) & 1;
        let place = part.first_bit + bit;
        if let Some(byte) = contents.get_mut(place as usize / 8) {
            *byte = *byte & !(1 << (place % 8)) | is_set << (place % 8);
        }
    }
    let end = part.first_bit + u64::from(value.bits);
    Ok(SetBytes {
        map: part.map,
        bytes: part.first_bit / 8..end.div_ceil(8),
        path: Some(path.to_string()),
    })
}
