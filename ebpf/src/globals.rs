//! Global variables by name, down to members and elements: `config.ports[3].min`. Symbols say where a variable is, BTF what
//! it is made of.

use hardpath_diagnostic::{suggest, Diagnostic};

use crate::btf::{Btf, Member, Shape};
use crate::constant_value::decode;
use crate::elf::{Elf, SymbolKind};
use crate::map_decls::DeclaredMaps;

/// The global variables of an object.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    /// `None`: the object has no types, and so no variables that are known.
    btf: Option<Btf>,
    all: Vec<Global>,
}

#[derive(Clone, Debug)]
struct Global {
    name: String,
    type_id: u32,
    /// Index into the object's maps: the data section that it is in.
    map: usize,
    /// Bytes from the beginning of that section.
    offset: u64,
    bytes: u64,
}

/// A variable or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GlobalPart {
    /// Index into the object's maps.
    pub map: usize,
    /// Where in the map's value it begins.
    pub first_bit: u64,
    /// Its size, if it is a bit field.
    pub field_bits: Option<u32>,
    /// Its type in BTF.
    pub type_id: u32,
}

/// Structures and arrays that lie in each other deeper than this are not looked through for what has no name.
const MAX_NESTING: usize = 8;

impl Globals {
    /// The variables in an object's data sections.
    pub fn read(elf: &Elf, btf: Option<&Btf>, declared: &DeclaredMaps) -> Globals {
        let mut all = Vec::new();
        for (index, section) in elf.sections.iter().enumerate() {
            let (Some(map), Some(btf)) = (declared.of_section(index), btf) else {
                continue;
            };
            for variable in btf.variables_of(section.name) {
                let name = btf.type_name(variable.type_id);
                let Shape::Variable(type_id) = *btf.shape(variable.type_id) else {
                    continue;
                };
                let is_symbol = |symbol: &&crate::elf::Symbol| {
                    symbol.section == Some(index)
                        && symbol.name == name
                        && matches!(symbol.kind, SymbolKind::Object | SymbolKind::NoType)
                };
                let symbol = elf.symbols.iter().find(is_symbol);
                let offset = symbol.map_or(u64::from(variable.offset), |symbol| symbol.value);
                let Some(bytes) = btf.bytes(type_id).map(u64::from) else {
                    continue;
                };
                if offset.saturating_add(bytes) <= section.size as u64 {
                    all.push(Global {
                        name: name.to_string(),
                        type_id,
                        map,
                        offset,
                        bytes,
                    });
                }
            }
        }
        Globals {
            btf: btf.cloned(),
            all,
        }
    }

    /// The volatile variable that a byte of a data section belongs to, by name, and the part of it in the form
    /// `config.port=80`, with its value in the section's contents: what a loader may set, and no compiler knows. A
    /// structure's bit fields, and arrays of bytes, are one part; what is no number has no value.
    pub fn volatile_at(
        &self,
        map: usize,
        offset: u64,
        contents: &[u8],
    ) -> Option<(String, String)> {
        let btf = self.btf.as_ref()?;
        let global = self.all.iter().find(|global| {
            let bytes = global.offset..global.offset + global.bytes;
            global.map == map && bytes.contains(&offset)
        })?;
        if !btf.is_volatile(global.type_id) {
            return None;
        }
        let mut path = global.name.clone();
        let (mut type_id, mut first) = (global.type_id, global.offset);
        for _ in 0..MAX_NESTING {
            let Some((name, inner, distance)) = part_at(btf, type_id, offset - first) else {
                break;
            };
            path.push_str(&name);
            (type_id, first) = (inner, first + distance);
        }
        let bytes = first as usize..first as usize + btf.bytes(type_id).unwrap_or(0) as usize;
        if let Some(value) = (contents.get(bytes)).and_then(|bytes| decode(btf, type_id, bytes)) {
            path.push_str(&format!("={value}"));
        }
        Some((global.name.clone(), path))
    }

    /// What a path names, and the types that say what it is made of.
    ///
    /// # Errors
    /// `unknown-global`, with names that may have been meant.
    pub fn find(&self, path: &str) -> Result<(&Btf, GlobalPart), Diagnostic> {
        let Some(btf) = &self.btf else {
            return Err(unknown(
                format!("the object has no types, so nothing is known of {path}"),
                "compile with -g; or give the bytes of a whole section with --rodata FILE",
            ));
        };
        let (global, mut rest) = self.variable(path)?;
        let mut part = GlobalPart {
            map: global.map,
            first_bit: global.offset * 8,
            field_bits: None,
            type_id: global.type_id,
        };
        while !rest.is_empty() {
            let known = &path[..path.len() - rest.len()];
            rest = match rest.strip_prefix('[') {
                Some(inside) => go_to_element(btf, &mut part, known, inside)?,
                None => go_to_member(btf, &mut part, known, rest)?,
            };
        }
        Ok((btf, part))
    }

    /// The variable that a path begins with, and what follows its name. A name may have dots in it (`function.variable`),
    /// so the longest one counts.
    fn variable<'a>(&self, path: &'a str) -> Result<(&Global, &'a str), Diagnostic> {
        let fitting = self.all.iter().filter_map(|global| {
            let rest = path.strip_prefix(global.name.as_str())?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some((global, rest))
        });
        let longest = fitting.clone().max_by_key(|(global, _)| global.name.len());
        let Some((found, rest)) = longest else {
            let end = path.find(['.', '[']).unwrap_or(path.len());
            let name = &path[..end];
            let names = self.all.iter().map(|global| global.name.as_str());
            return Err(unknown(
                format!("the object has no global variable {name}"),
                &suggest::known(name, names, "it has", "it has none"),
            ));
        };
        if fitting
            .filter(|(global, _)| global.name == found.name)
            .count()
            > 1
        {
            return Err(unknown(
                format!("the object has several variables {}", found.name),
                "give the bytes of the whole section with --rodata FILE, or another name in the source",
            ));
        }
        Ok((found, rest))
    }
}

/// Goes on behind a `[`; gives what follows the `]`.
fn go_to_element<'a>(
    btf: &Btf,
    part: &mut GlobalPart,
    known: &str,
    inside: &'a str,
) -> Result<&'a str, Diagnostic> {
    let Shape::Array { element, count } = *btf.resolve(part.type_id) else {
        return Err(unknown(
            format!("{known} is no array"),
            &parts_of(btf, part.type_id, known),
        ));
    };
    let (index, rest) = inside.split_once(']').unwrap_or((inside, ""));
    let Some(index) = index.parse().ok().filter(|index: &u32| *index < count) else {
        let help = parts_of(btf, part.type_id, known);
        return Err(unknown(format!("{known} has no element {index}"), &help));
    };
    let bytes = u64::from(btf.bytes(element).unwrap_or(0));
    let distance = u64::from(index).saturating_mul(bytes).saturating_mul(8);
    part.first_bit = part.first_bit.saturating_add(distance);
    part.type_id = element;
    Ok(rest)
}

/// Goes on at a `.`; gives what follows the member's name.
fn go_to_member<'a>(
    btf: &Btf,
    part: &mut GlobalPart,
    known: &str,
    rest: &'a str,
) -> Result<&'a str, Diagnostic> {
    let name = rest.strip_prefix('.').unwrap_or(rest);
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    let Some((first_bit, member)) = find_member(btf, part.type_id, name, MAX_NESTING) else {
        let help = match btf.resolve(part.type_id) {
            Shape::Record { .. } => {
                let mut names = Vec::new();
                member_names(btf, part.type_id, MAX_NESTING, &mut names);
                suggest::known(name, names, "its members are", "it has none")
            }
            _ => parts_of(btf, part.type_id, known),
        };
        return Err(unknown(format!("{known} has no member {name}"), &help));
    };
    part.first_bit = part.first_bit.saturating_add(first_bit);
    part.field_bits = member.bits;
    part.type_id = member.type_id;
    Ok(rest)
}

/// A member by name and where it begins, also one of a structure or union without a name that is a member.
fn find_member<'b>(
    btf: &'b Btf,
    record: u32,
    name: &str,
    depth: usize,
) -> Option<(u64, &'b Member)> {
    let Shape::Record { members, .. } = btf.resolve(record) else {
        return None;
    };
    members.iter().find_map(|member| {
        let at = u64::from(member.bit_offset);
        match btf.member_name(member) {
            "" => {
                let (inner, found) = find_member(btf, member.type_id, name, depth.checked_sub(1)?)?;
                Some((at + inner, found))
            }
            own => (own == name).then_some((at, member)),
        }
    })
}

/// The member or element at a byte: how a path goes on, its type, and its first byte. `None`: the type has no parts there.
fn part_at(btf: &Btf, type_id: u32, offset: u64) -> Option<(String, u32, u64)> {
    match btf.resolve(type_id) {
        Shape::Array { element, .. } => {
            let bytes = btf.bytes(*element).filter(|bytes| *bytes > 1)?;
            let index = offset / u64::from(bytes);
            let first = index * u64::from(bytes);
            Some((format!("[{index}]"), *element, first))
        }
        Shape::Record { members, .. } => members.iter().find_map(|member| {
            let first = u64::from(member.bit_offset / 8);
            let bytes = btf.bytes(member.type_id).map(u64::from)?;
            if member.bits.is_some() || !(first..first + bytes).contains(&offset) {
                return None;
            }
            let name = match btf.member_name(member) {
                "" => String::new(),
                name => format!(".{name}"),
            };
            Some((name, member.type_id, first))
        }),
        _ => None,
    }
}

fn member_names<'b>(btf: &'b Btf, record: u32, depth: usize, names: &mut Vec<&'b str>) {
    let Shape::Record { members, .. } = btf.resolve(record) else {
        return;
    };
    for member in members {
        match (btf.member_name(member), depth) {
            ("", 0) => {}
            ("", _) => member_names(btf, member.type_id, depth - 1, names),
            (name, _) => names.push(name),
        }
    }
}

/// What a variable is made of, in words for somebody who looked for something else.
pub fn parts_of(btf: &Btf, type_id: u32, known: &str) -> String {
    match btf.resolve(type_id) {
        Shape::Array { count: 0, .. } => format!("{known} is an array without elements"),
        Shape::Array { count, .. } => {
            format!("its elements are {known}[0] to {known}[{}]", count - 1)
        }
        Shape::Record { .. } => {
            let mut names = Vec::new();
            member_names(btf, type_id, MAX_NESTING, &mut names);
            suggest::known("", names, "its members are", "it has no members")
        }
        _ => format!("{known} is one value: --set {known}=VALUE"),
    }
}

fn unknown(message: String, help: &str) -> Diagnostic {
    Diagnostic::input("unknown-global", message).help(help)
}
