//! An eBPF object file's sections, symbols and relocations, checked: nothing behind this module trusts the file.

use hardpath_diagnostic::Diagnostic;
use object::read::elf::ElfFile64;
use object::{
    LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    RelocationTarget, SectionFlags, SymbolFlags,
};

/// The parts of an ELF file that matter to eBPF.
pub struct Elf<'a> {
    /// By section index of the file, without gaps; section 0 is empty.
    pub sections: Vec<Section<'a>>,
    pub symbols: Vec<Symbol<'a>>,
}

pub struct Section<'a> {
    pub name: &'a str,
    /// Empty for sections without contents in the file (`.bss`).
    pub data: &'a [u8],
    /// Size in memory in bytes, at most [`MAX_SECTION_BYTES`].
    pub size: usize,
    /// Has instructions.
    pub executable: bool,
    pub relocations: Vec<Relocation>,
}

pub struct Symbol<'a> {
    /// Index in the file's symbol table.
    pub index: usize,
    pub name: &'a str,
    pub kind: SymbolKind,
    /// Visible outside its object (global or weak binding).
    pub global: bool,
    /// `None`: undefined, or absolute.
    pub section: Option<usize>,
    /// Offset in its section.
    pub value: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    NoType,
    Object,
    Function,
    Section,
    Other,
}

pub struct Relocation {
    /// Offset in the section that is relocated.
    pub offset: u64,
    /// `R_BPF_…`
    pub kind: u32,
    /// Index in the symbol table.
    pub symbol: usize,
}

/// `R_BPF_64_64`: an `lddw` takes an address (Linux `Documentation/bpf/llvm_reloc.rst`).
pub const R_BPF_64_64: u32 = 1;
/// `R_BPF_64_32`: a call.
pub const R_BPF_64_32: u32 = 10;

/// Larger sections are not believed.
pub const MAX_SECTION_BYTES: u64 = 16 << 20;

/// Size of an ELF header.
const HEADER_BYTES: usize = 64;

impl<'a> Elf<'a> {
    /// # Errors
    /// `not-an-elf`, `wrong-machine`, `malformed-elf`.
    pub fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, Diagnostic> {
        check_header(bytes)?;
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(malformed)?;
        let mut sections: Vec<Section<'a>> = Vec::new();
        for section in file.sections() {
            let index = section.index().0;
            while sections.len() < index {
                sections.push(Section::empty());
            }
            sections.push(read_section(&section)?);
        }
        let mut symbols = Vec::new();
        for symbol in file.symbols() {
            symbols.push(read_symbol(&symbol, sections.len())?);
        }
        Ok(Elf { sections, symbols })
    }

    /// The first section of that name, with its index.
    pub fn section(&self, name: &str) -> Option<(usize, &Section<'a>)> {
        self.sections
            .iter()
            .enumerate()
            .find(|(_, section)| section.name == name)
    }

    /// The symbol at that index of the file's symbol table.
    pub fn symbol(&self, index: usize) -> Option<&Symbol<'a>> {
        let position = self
            .symbols
            .binary_search_by_key(&index, |symbol| symbol.index)
            .ok()?;
        self.symbols.get(position)
    }
}

impl Section<'_> {
    fn empty() -> Self {
        Section {
            name: "",
            data: &[],
            size: 0,
            executable: false,
            relocations: Vec::new(),
        }
    }
}

fn check_header(bytes: &[u8]) -> Result<(), Diagnostic> {
    if bytes.len() < 4 || &bytes[..4] != b"\x7fELF" {
        return Err(
            Diagnostic::input("not-an-elf", "this is not an ELF file").help(
                "give an object file as clang -target bpf makes it: clang -O2 -g -target bpf -c prog.c -o prog.o",
            ),
        );
    }
    if bytes.len() < HEADER_BYTES {
        return Err(malformed("the file ends inside its header"));
    }
    let is_64_bit = bytes[4] == object::elf::ELFCLASS64;
    let is_little_endian = bytes[5] == object::elf::ELFDATA2LSB;
    let machine = u16::from_le_bytes([bytes[18], bytes[19]]);
    if is_64_bit && !is_little_endian {
        return Err(Diagnostic::input(
            "wrong-endianness",
            "the object file is big endian; hardpath takes little-endian eBPF only",
        )
        .help("compile with -target bpf or -target bpfel"));
    }
    if !is_64_bit || machine != object::elf::EM_BPF {
        return Err(Diagnostic::input(
            "wrong-machine",
            format!("the ELF file is for machine {machine}, not for eBPF (247)"),
        )
        .help("compile with -target bpf"));
    }
    let file_type = u16::from_le_bytes([bytes[16], bytes[17]]);
    if file_type != object::elf::ET_REL {
        return Err(Diagnostic::input(
            "not-relocatable",
            format!("the ELF file has type {file_type}; an object file (type 1) is wanted"),
        )
        .help("compile with -c, without linking"));
    }
    Ok(())
}

fn read_section<'a>(
    section: &object::read::elf::ElfSection64<'a, '_, LittleEndian>,
) -> Result<Section<'a>, Diagnostic> {
    let name = section.name().map_err(malformed)?;
    let data = section.data().map_err(malformed)?;
    let size = section.size();
    if size > MAX_SECTION_BYTES {
        return Err(malformed(format!(
            "section {name} claims to have {size} bytes"
        )));
    }
    let SectionFlags::Elf { sh_flags } = section.flags() else {
        return Err(malformed(format!("section {name} has no ELF flags")));
    };
    let mut relocations = Vec::new();
    for (offset, relocation) in section.relocations() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            continue;
        };
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            return Err(malformed(format!(
                "section {name}: a relocation at offset {offset:#x} names no symbol"
            )));
        };
        relocations.push(Relocation {
            offset,
            kind: r_type,
            symbol: symbol.0,
        });
    }
    Ok(Section {
        name,
        data,
        size: size as usize,
        executable: sh_flags & u64::from(object::elf::SHF_EXECINSTR) != 0,
        relocations,
    })
}

fn read_symbol<'a>(
    symbol: &object::read::elf::ElfSymbol64<'a, '_, LittleEndian>,
    section_count: usize,
) -> Result<Symbol<'a>, Diagnostic> {
    let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
        return Err(malformed("a symbol has no ELF flags"));
    };
    let kind = match st_info & 0xf {
        object::elf::STT_NOTYPE => SymbolKind::NoType,
        object::elf::STT_OBJECT => SymbolKind::Object,
        object::elf::STT_FUNC => SymbolKind::Function,
        object::elf::STT_SECTION => SymbolKind::Section,
        _ => SymbolKind::Other,
    };
    Ok(Symbol {
        index: symbol.index().0,
        name: symbol.name().map_err(malformed)?,
        kind,
        global: st_info >> 4 != object::elf::STB_LOCAL,
        section: symbol
            .section_index()
            .map(|index| index.0)
            .filter(|index| *index < section_count),
        value: symbol.address(),
    })
}

fn malformed(reason: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::input(
        "malformed-elf",
        format!("the ELF file is damaged: {reason}"),
    )
    .help("compile the program again; the file may be cut off")
}
