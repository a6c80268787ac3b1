//! Linking: finds the functions of an object, resolves calls and map references, and puts each program together
//! with the bpf functions that it calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Place;

use crate::btf_ext::BtfExt;
use crate::elf::{Elf, Relocation, Symbol, SymbolKind, R_BPF_64_32, R_BPF_64_64};
use crate::insn::{
    Insn, CALL, PSEUDO_BTF_ID, PSEUDO_FUNC, PSEUDO_KFUNC_CALL, PSEUDO_MAP_FD, PSEUDO_MAP_VALUE,
};
use crate::map_decls::DeclaredMaps;
use crate::object::{place_of, section_of, MapRef, MapRefKind, ObjectFunction, ProgramImage};
use crate::sections;

/// All that linking looks at.
pub struct Linker<'a> {
    pub file: &'a str,
    pub elf: &'a Elf<'a>,
    pub maps: &'a DeclaredMaps,
    /// The instructions of each executable section, CO-RE applied.
    pub code: &'a BTreeMap<String, Vec<Insn>>,
    pub ext: Option<&'a BtfExt>,
    /// The functions of the kernel that the object declares.
    pub kernel_functions: &'a BTreeSet<&'a str>,
}

/// A function of the object.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    section: usize,
    /// Its slots in the section.
    start: usize,
    end: usize,
    global: bool,
}

/// More instructions than the kernel would look at in one program (`BPF_COMPLEXITY_LIMIT_INSNS`), in all programs.
const MAX_INSTRUCTIONS: usize = 1_000_000;

/// The section of functions that are no programs themselves.
const SUBPROGRAM_SECTION: &str = ".text";

impl Linker<'_> {
    /// Every program of the object. Functions in `.text` are called by programs; only where there is nothing else
    /// they are programs, too.
    ///
    /// # Errors
    /// `object-too-large`.
    pub fn programs(&self) -> Result<Vec<ProgramImage>, Diagnostic> {
        let functions = self.functions();
        let in_text = |function: &&Function| self.section_name(function) == SUBPROGRAM_SECTION;
        let is_hidden = |function: &&Function| {
            !function.global
                && functions
                    .iter()
                    .any(|other| other.section == function.section && other.global)
        };
        let outside: Vec<&Function> = functions
            .iter()
            .filter(|function| !in_text(function) && !is_hidden(function))
            .collect();
        let programs = if outside.is_empty() {
            functions
                .iter()
                .filter(|function| !is_hidden(function))
                .collect()
        } else {
            outside
        };
        let mut images = Vec::new();
        let mut total = 0;
        for program in programs {
            let image = self.link(program, &functions);
            total += image.insns.len();
            if total > MAX_INSTRUCTIONS {
                return Err(Diagnostic::input(
                    "object-too-large",
                    format!("the object's programs have more than {MAX_INSTRUCTIONS} instructions"),
                )
                .help("the kernel would not load this either; split the object"));
            }
            images.push(image);
        }
        Ok(images)
    }

    fn section_name(&self, function: &Function) -> &str {
        self.elf.sections[function.section].name
    }

    /// Functions are symbols of type FUNC; hand-written assembly leaves them NOTYPE. A section without either is
    /// one function with the section's name.
    fn functions(&self) -> Vec<Function> {
        let mut all = Vec::new();
        for (index, section) in self.elf.sections.iter().enumerate() {
            let Some(insns) = self.code.get(section.name).filter(|_| section.executable) else {
                continue;
            };
            let named = |accept: &dyn Fn(&Symbol) -> bool| -> Vec<&Symbol> {
                let mut symbols: Vec<_> = self
                    .elf
                    .symbols
                    .iter()
                    .filter(|symbol| symbol.section == Some(index) && !symbol.name.is_empty())
                    .filter(|symbol| accept(symbol))
                    .filter(|symbol| symbol.value % Insn::BYTES as u64 == 0)
                    .filter(|symbol| symbol.value < (insns.len() * Insn::BYTES) as u64)
                    .collect();
                symbols.sort_by_key(|symbol| {
                    let is_label = symbol.kind != SymbolKind::Function;
                    (symbol.value, is_label, !symbol.global)
                });
                symbols.dedup_by_key(|symbol| symbol.value);
                symbols
            };
            // Local NOTYPE symbols are the compiler's labels, but for one at the section's beginning.
            let symbols = named(&|symbol| {
                symbol.kind == SymbolKind::Function
                    || symbol.kind == SymbolKind::NoType && (symbol.global || symbol.value == 0)
            });
            let starts: Vec<usize> = symbols
                .iter()
                .map(|symbol| symbol.value as usize / Insn::BYTES)
                .collect();
            if symbols.is_empty() && !insns.is_empty() {
                all.push(Function {
                    name: section.name.to_string(),
                    section: index,
                    start: 0,
                    end: insns.len(),
                    global: true,
                });
            }
            for (position, symbol) in symbols.iter().enumerate() {
                all.push(Function {
                    name: symbol.name.to_string(),
                    section: index,
                    start: starts[position],
                    end: starts.get(position + 1).copied().unwrap_or(insns.len()),
                    global: symbol.global,
                });
            }
        }
        all
    }

    fn link(&self, program: &Function, functions: &[Function]) -> ProgramImage {
        let section = self.section_name(program);
        let mut image = ProgramImage {
            name: program.name.clone(),
            section: section.to_string(),
            frags: sections::has_frags(section),
            insns: Vec::new(),
            map_refs: Vec::new(),
            places: Vec::new(),
            functions: Vec::new(),
            problems: Vec::new(),
        };
        let mut layout = Layout::default();
        layout.place(program);
        let mut next = 0;
        while let Some(function) = layout.order.get(next).cloned() {
            image.functions.push(ObjectFunction {
                name: function.name.clone(),
                slot: image.insns.len() as u32,
            });
            self.append(&mut image, &mut layout, &function, functions);
            next += 1;
        }
        image
    }

    fn append(
        &self,
        image: &mut ProgramImage,
        layout: &mut Layout,
        function: &Function,
        functions: &[Function],
    ) {
        let section = &self.elf.sections[function.section];
        let first = image.insns.len();
        let within = Arc::new(section_of(self.file, &image.section));
        let insns = &self.code[section.name][function.start..function.end];
        image.insns.extend_from_slice(insns);
        for slot in 0..insns.len() {
            let line = self.ext.and_then(|ext| {
                ext.line(section.name, (function.start + slot) as u32)
                    .filter(|line| line.slot as usize >= function.start)
            });
            image.places.push(Place {
                slot: (first + slot) as u32,
                file: line.map(|line| short_path(&line.file)).unwrap_or_default(),
                line: line.map_or(0, |line| line.line),
                source: line.map(|line| line.source.clone()).unwrap_or_default(),
                column: line.map_or(0, |line| line.column),
                within: within.clone(),
            });
        }
        let mut relocated = vec![false; insns.len()];
        for relocation in &section.relocations {
            let slot = relocation.offset as usize / Insn::BYTES;
            if !(function.start..function.end).contains(&slot) {
                continue;
            }
            relocated[slot - function.start] = true;
            let at = first + slot - function.start;
            if let Err(problem) = self.relocate(image, layout, at, relocation, functions) {
                forget_target(&mut image.insns[at]);
                self.note(image, at as u32, problem);
            }
        }
        for slot in 0..insns.len() {
            if relocated[slot] || !insns[slot].is_local_call() {
                continue;
            }
            let target = (function.start + slot) as i64 + i64::from(insns[slot].imm) + 1;
            let at = first + slot;
            if let Err(problem) = call(image, layout, at, function.section, target, functions) {
                self.note(image, at as u32, problem);
            }
        }
    }

    fn note(&self, image: &mut ProgramImage, slot: u32, problem: Diagnostic) {
        let place = place_of(self.file, image, slot);
        image.problems.push(problem.at(place));
    }

    fn relocate(
        &self,
        image: &mut ProgramImage,
        layout: &mut Layout,
        at: usize,
        relocation: &Relocation,
        functions: &[Function],
    ) -> Result<(), Diagnostic> {
        let Some(symbol) = self.elf.symbol(relocation.symbol) else {
            return Err(unsupported("it names a symbol that does not exist"));
        };
        let insn = image.insns[at];
        let Some(section) = symbol.section else {
            return Err(self.unresolved(symbol.name, insn));
        };
        match relocation.kind {
            R_BPF_64_64 if insn.is_wide_load() && at + 1 < image.insns.len() => {
                let offset = (symbol.value as i64).wrapping_add(i64::from(insn.imm));
                self.relocate_address(image, layout, at, section, offset, functions)
            }
            R_BPF_64_32 if insn.code == CALL => {
                let target = (symbol.value / Insn::BYTES as u64) as i64 + i64::from(insn.imm) + 1;
                call(image, layout, at, section, target, functions)
            }
            kind => Err(unsupported(&format!(
                "type {kind} does not fit the instruction with code {:#04x}",
                insn.code
            ))),
        }
    }

    /// What is not in the object. Functions of the kernel that the program declares (`__ksym`) are known by their types.
    fn unresolved(&self, name: &str, insn: Insn) -> Diagnostic {
        let is_kernels = insn.code == CALL && self.kernel_functions.contains(name);
        if is_kernels {
            return Diagnostic::refused(
                "unsupported-kfunc",
                format!("the program calls {name}, a function of the kernel (kfunc)"),
            )
            .help("kernel functions are not there in hardware; write the program without it");
        }
        Diagnostic::refused(
            "unresolved-symbol",
            format!("the program refers to {name}, which is not in the object"),
        )
        .help("kernel functions, kernel symbols and kconfig values are not there in hardware; a function of the C library must be built in (-fbuiltin) or written out")
    }

    /// An `lddw` of an address: a map, a byte of a data section, or a function.
    fn relocate_address(
        &self,
        image: &mut ProgramImage,
        layout: &mut Layout,
        at: usize,
        section: usize,
        offset: i64,
        functions: &[Function],
    ) -> Result<(), Diagnostic> {
        let offset = u64::try_from(offset).map_err(|_| unsupported("its offset is negative"))?;
        let (src, upper, reference) = if let Some(map) = self.maps.of_section(section) {
            let bytes = u64::from(self.maps.maps[map].value_bytes);
            let inside = u32::try_from(offset)
                .ok()
                .filter(|offset| u64::from(*offset) < bytes)
                .ok_or_else(|| unsupported("it points behind the end of its data section"))?;
            (
                PSEUDO_MAP_VALUE,
                inside as i32,
                Some((map, MapRefKind::Value { offset: inside })),
            )
        } else if let Some(map) = self.maps.declared_at(section, offset) {
            (PSEUDO_MAP_FD, 0, Some((map, MapRefKind::Fd)))
        } else if self.elf.sections[section].executable {
            (PSEUDO_FUNC, 0, None)
        } else {
            return Err(unsupported(&format!(
                "it points into section {}, which holds no map",
                self.elf.sections[section].name
            )));
        };
        match reference {
            Some((map, kind)) => {
                image.insns[at].imm = 0;
                image.map_refs.push(MapRef {
                    slot: at as u32,
                    map,
                    kind,
                });
            }
            None => {
                let target = (offset / Insn::BYTES as u64) as i64;
                call(image, layout, at, section, target, functions)?;
            }
        }
        image.insns[at].src = src;
        image.insns[at + 1].imm = upper;
        Ok(())
    }
}

/// Where the functions of a program go.
#[derive(Default)]
struct Layout {
    order: Vec<Function>,
    /// First slot of a function in the program, by its place in the object.
    starts: BTreeMap<(usize, usize), usize>,
    length: usize,
}

impl Layout {
    fn place(&mut self, function: &Function) -> usize {
        let key = (function.section, function.start);
        if let Some(start) = self.starts.get(&key) {
            return *start;
        }
        let start = self.length;
        self.starts.insert(key, start);
        self.length += function.end - function.start;
        self.order.push(function.clone());
        start
    }
}

/// Makes the instruction at `at` refer to the function that begins at slot `target` of a section.
fn call(
    image: &mut ProgramImage,
    layout: &mut Layout,
    at: usize,
    section: usize,
    target: i64,
    functions: &[Function],
) -> Result<(), Diagnostic> {
    let callee = functions
        .iter()
        .find(|function| function.section == section && function.start as i64 == target)
        .ok_or_else(|| unsupported("it calls a place where no function begins"))?;
    let start = layout.place(callee);
    image.insns[at].imm = start as i32 - at as i32 - 1;
    Ok(())
}

/// Makes an instruction whose relocation failed one that leads nowhere, so that nothing is said of what follows from it:
/// it would call itself, or load the number 0.
fn forget_target(insn: &mut Insn) {
    if insn.code == CALL {
        insn.src = PSEUDO_KFUNC_CALL;
    } else if insn.is_wide_load() {
        insn.src = PSEUDO_BTF_ID;
    }
}

fn unsupported(reason: &str) -> Diagnostic {
    Diagnostic::refused(
        "unsupported-relocation",
        format!("a relocation cannot be applied: {reason}"),
    )
    .help("compile the program again with clang -target bpf, without linking")
}

/// A source file as people speak of it: the directory of a build machine says nothing to others.
fn short_path(file: &str) -> String {
    let relative = file.strip_prefix("./").unwrap_or(file);
    if relative.starts_with('/') {
        relative.rsplit('/').next().unwrap_or_default().to_string()
    } else {
        relative.to_string()
    }
}
