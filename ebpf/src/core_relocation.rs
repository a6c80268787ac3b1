//! CO-RE: offsets, sizes and values of the kernel's types, filled in from a kernel's BTF by aya-obj.
//!
//! aya-obj takes whole object files and trusts them. So what reaches it is made here: one text section with one
//! function that holds the code of all sections one after the other, the object's BTF (which [`Btf`] has checked) and the
//! relocation records with slots of that one function. Only the instructions are taken back.

use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use hardpath_diagnostic::{Diagnostic, Place};
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolScope};

use crate::btf::Btf;
use crate::btf_ext::CoreRelocation;
use crate::insn::Insn;

/// The instruction that stands where a relocation found nothing: a call of this helper (libbpf's choice, too).
pub const POISONED_HELPER: i32 = 0x0bad_2310;

/// The running kernel's types.
const KERNEL_BTF: &str = "/sys/kernel/btf/vmlinux";

/// Applies relocations to the code of an object. `code` holds the instructions of each section by the section's
/// name. An instruction whose field the kernel does not have becomes a call of [`POISONED_HELPER`].
///
/// # Errors
/// `no-kernel-btf`, `malformed-btf`, `core-relocation`.
pub fn apply(
    code: &mut BTreeMap<String, Vec<Insn>>,
    btf: &Btf,
    relocations: &[CoreRelocation],
    kernel_btf: Option<&Path>,
) -> Result<(), Diagnostic> {
    if relocations.is_empty() {
        return Ok(());
    }
    let target = read_target(kernel_btf.unwrap_or(Path::new(KERNEL_BTF)))?;
    let mut all = Vec::new();
    let mut starts = BTreeMap::new();
    for (section, insns) in code.iter() {
        starts.insert(section.clone(), all.len());
        all.extend(insns.iter().copied());
    }
    let mut records = Vec::new();
    for relocation in relocations {
        let section = code.get(&relocation.section);
        let start = starts.get(&relocation.section);
        let (Some(section), Some(start)) = (section, start) else {
            return Err(nowhere(relocation));
        };
        // Both slots of a 64-bit load are written.
        let slot = relocation.slot as usize;
        let inside = match section.get(slot) {
            Some(insn) if insn.is_wide_load() => slot + 1 < section.len(),
            Some(_) => true,
            None => false,
        };
        if !inside {
            return Err(nowhere(relocation));
        }
        records.push((start + slot, relocation));
    }
    let relocated = relocate(&all, btf, &records, &target)?;
    for (section, insns) in code.iter_mut() {
        let start = starts[section];
        let end = start + insns.len();
        insns.copy_from_slice(&relocated[start..end]);
    }
    Ok(())
}

fn relocate(
    insns: &[Insn],
    btf: &Btf,
    records: &[(usize, &CoreRelocation)],
    target: &aya_obj::btf::Btf,
) -> Result<Vec<Insn>, Diagnostic> {
    let elf = object_file(insns, btf, records)?;
    // A defect of the library on types that nobody foresaw is an error of this input, not of the whole process.
    let result = catch_unwind(AssertUnwindSafe(|| -> Result<Vec<Insn>, String> {
        let mut object = aya_obj::Object::parse(&elf).map_err(|error| chain(&error))?;
        object.relocate_btf(target).map_err(|error| chain(&error))?;
        let function = object.functions.values().next();
        Ok(function
            .map(|function| &function.instructions[..])
            .unwrap_or_default()
            .iter()
            .map(|insn| Insn {
                code: insn.code,
                dst: insn.dst_reg(),
                src: insn.src_reg(),
                off: insn.off,
                imm: insn.imm,
            })
            .collect())
    }));
    match result {
        Ok(Ok(relocated)) if relocated.len() == insns.len() => Ok(relocated),
        Ok(Ok(_)) => Err(failed("instructions were lost")),
        Ok(Err(reason)) => Err(failed(&reason)),
        Err(_) => Err(failed("its types are of a form that cannot be compared")),
    }
}

/// An object file with one function, the types and the relocation records, and nothing else.
fn object_file(
    insns: &[Insn],
    btf: &Btf,
    records: &[(usize, &CoreRelocation)],
) -> Result<Vec<u8>, Diagnostic> {
    let (btf_bytes, section_name) = btf.to_bytes_with_string(".text");
    let mut relocation_part = Vec::new();
    for word in [16, section_name, records.len() as u32] {
        relocation_part.extend_from_slice(&u32::to_le_bytes(word));
    }
    for (slot, relocation) in records {
        let offset = (slot * Insn::BYTES) as u32;
        for word in [
            offset,
            relocation.type_id,
            relocation.access,
            relocation.kind,
        ] {
            relocation_part.extend_from_slice(&word.to_le_bytes());
        }
    }
    let mut ext_bytes = vec![0x9f, 0xeb, 1, 0];
    for word in [32, 0, 0, 0, 0, 0, relocation_part.len() as u32] {
        ext_bytes.extend_from_slice(&u32::to_le_bytes(word));
    }
    ext_bytes.extend_from_slice(&relocation_part);

    let mut file = Object::new(BinaryFormat::Elf, Architecture::Bpf, Endianness::Little);
    let text = file.section_id(StandardSection::Text);
    let code: Vec<u8> = insns.iter().flat_map(|insn| insn.to_bytes()).collect();
    file.append_section_data(text, &code, 8);
    file.add_symbol(Symbol {
        name: b"all".to_vec(),
        value: 0,
        size: code.len() as u64,
        kind: object::SymbolKind::Text,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Section(text),
        flags: SymbolFlags::None,
    });
    for (name, bytes) in [(".BTF", &btf_bytes), (".BTF.ext", &ext_bytes)] {
        let section = file.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::Other);
        file.append_section_data(section, bytes, 8);
    }
    file.write().map_err(|error| failed(&error.to_string()))
}

/// The types of a kernel, from raw BTF or from the `.BTF` section of an ELF file.
fn read_target(path: &Path) -> Result<aya_obj::btf::Btf, Diagnostic> {
    let unreadable = |reason: &str| {
        Diagnostic::input(
            "no-kernel-btf",
            format!(
                "the program needs the kernel's types (CO-RE), and {} cannot be read: {reason}",
                path.display()
            ),
        )
        .help("give the BTF of the kernel that the program is for with --btf FILE")
    };
    let bytes = std::fs::read(path).map_err(|error| unreadable(&error.to_string()))?;
    let raw = if bytes.starts_with(b"\x7fELF") {
        use object::{Object as _, ObjectSection as _};
        let file = object::File::parse(&*bytes).map_err(|error| unreadable(&error.to_string()))?;
        let section = file
            .section_by_name(".BTF")
            .ok_or_else(|| unreadable("it has no .BTF section"))?;
        section
            .data()
            .map_err(|error| unreadable(&error.to_string()))?
            .to_vec()
    } else {
        bytes
    };
    Btf::parse(&raw).map_err(|diagnostic| diagnostic.at(Place::of_file(path.display())))?;
    aya_obj::btf::Btf::parse(&raw, Endianness::Little)
        .map_err(|error| unreadable(&error.to_string()))
}

fn nowhere(relocation: &CoreRelocation) -> Diagnostic {
    failed(&format!(
        "a relocation refers to instruction {} of section {}, which does not exist",
        relocation.slot, relocation.section
    ))
}

fn failed(reason: &str) -> Diagnostic {
    Diagnostic::input(
        "core-relocation",
        format!("the CO-RE relocations cannot be applied: {reason}"),
    )
    .help("give the BTF of the kernel that the program is for with --btf FILE")
}

/// An error with its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
