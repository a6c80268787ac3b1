//! The maps that an object declares: BTF `.maps`, legacy `maps`, and the data sections that libbpf makes maps of.

use std::collections::BTreeMap;

use hardpath_diagnostic::{suggest, Diagnostic};

use crate::btf::{Btf, SectionVariable, Shape};
use crate::elf::{Elf, Section, Symbol, SymbolKind};
use crate::object::ObjectMap;

/// The maps of an object, and where in the file each of them is.
pub struct DeclaredMaps {
    pub maps: Vec<ObjectMap>,
    /// Index of a map by section and offset of its symbol there.
    by_place: BTreeMap<(usize, u64), usize>,
    /// Index of the map that a data section is, by section.
    by_section: BTreeMap<usize, usize>,
}

impl DeclaredMaps {
    /// The map whose declaration stands at that place.
    pub fn declared_at(&self, section: usize, offset: u64) -> Option<usize> {
        self.by_place.get(&(section, offset)).copied()
    }

    /// The map that a data section is.
    pub fn of_section(&self, section: usize) -> Option<usize> {
        self.by_section.get(&section).copied()
    }
}

/// `enum bpf_map_type` of the kernel's `include/uapi/linux/bpf.h`, by number.
const MAP_TYPE_NAMES: [&str; 34] = [
    "UNSPEC",
    "HASH",
    "ARRAY",
    "PROG_ARRAY",
    "PERF_EVENT_ARRAY",
    "PERCPU_HASH",
    "PERCPU_ARRAY",
    "STACK_TRACE",
    "CGROUP_ARRAY",
    "LRU_HASH",
    "LRU_PERCPU_HASH",
    "LPM_TRIE",
    "ARRAY_OF_MAPS",
    "HASH_OF_MAPS",
    "DEVMAP",
    "SOCKMAP",
    "CPUMAP",
    "XSKMAP",
    "SOCKHASH",
    "CGROUP_STORAGE",
    "REUSEPORT_SOCKARRAY",
    "PERCPU_CGROUP_STORAGE",
    "QUEUE",
    "STACK",
    "SK_STORAGE",
    "DEVMAP_HASH",
    "STRUCT_OPS",
    "RINGBUF",
    "INODE_STORAGE",
    "TASK_STORAGE",
    "BLOOM_FILTER",
    "USER_RINGBUF",
    "CGRP_STORAGE",
    "ARENA",
];

const MAP_TYPE_ARRAY: u32 = 2;
const BPF_F_RDONLY_PROG: u32 = 1 << 7;
const BPF_F_MMAPABLE: u32 = 1 << 10;

/// The map type of program arrays, for tail calls.
pub const PROG_ARRAY: u32 = 3;
/// The map types through which programs tell user space something.
pub const PERF_EVENT_ARRAY: u32 = 4;
pub const RINGBUF: u32 = 27;

/// The MTUs of interfaces, for programs that call `bpf_check_mtu`: by ifindex (32 bits), in bytes without the
/// Ethernet header (32 bits), as `ip link` shows them. Programs do not see this map; the host writes it.
pub const MTU_MAP: &str = ".mtu";
/// How many interfaces there can be, unless the options say it.
const MTU_ENTRIES: u32 = 64;
const MAP_TYPE_HASH: u32 = 1;

/// Name of a map type as in the kernel's headers, without `BPF_MAP_TYPE_`.
pub fn map_type_name(map_type: u32) -> String {
    match MAP_TYPE_NAMES.get(map_type as usize) {
        Some(name) => (*name).to_string(),
        None => format!("number {map_type}"),
    }
}

/// Reads all declarations, and sets `max_entries` as the options say. Objects that check MTUs get a map of them.
///
/// # Errors
/// `malformed-map`, `map-without-btf`, `unknown-map` (a `--max-entries` for a map that is not there).
pub fn read(
    elf: &Elf,
    btf: Option<&Btf>,
    file_name: &str,
    checks_mtu: bool,
    max_entries: &BTreeMap<String, u32>,
) -> Result<DeclaredMaps, Vec<Diagnostic>> {
    let mut declared = DeclaredMaps {
        maps: Vec::new(),
        by_place: BTreeMap::new(),
        by_section: BTreeMap::new(),
    };
    let mut errors = Vec::new();
    for (index, section) in elf.sections.iter().enumerate() {
        let result = if section.name == ".maps" {
            read_btf_maps(elf, index, btf, &mut declared)
        } else if section.name == "maps" || section.name.starts_with("maps/") {
            read_legacy_maps(elf, index, section, &mut declared)
        } else {
            read_data_section(index, section, file_name, &mut declared)
        };
        errors.extend(result.err());
    }
    for (index, map) in declared.maps.iter().enumerate() {
        if declared.maps[..index]
            .iter()
            .any(|other| other.name == map.name)
        {
            errors.push(malformed(&map.name, "there are two maps of this name"));
        }
    }
    if checks_mtu {
        declared.maps.push(mtu_map());
    }
    for (name, entries) in max_entries {
        match declared.maps.iter_mut().find(|map| map.name == *name) {
            Some(map) => map.max_entries = *entries,
            None => errors.push(unknown_map(name, &declared.maps)),
        }
    }
    if errors.is_empty() {
        Ok(declared)
    } else {
        Err(errors)
    }
}

fn unknown_map(name: &str, maps: &[ObjectMap]) -> Diagnostic {
    let names: Vec<&str> = maps.iter().map(|map| map.name.as_str()).collect();
    Diagnostic::input(
        "unknown-map",
        format!("--max-entries names the map {name}, which the object does not have"),
    )
    .help(suggest::known(
        name,
        names,
        "the object's maps are:",
        "the object has no maps",
    ))
}

fn mtu_map() -> ObjectMap {
    ObjectMap {
        name: MTU_MAP.to_string(),
        map_type: MAP_TYPE_HASH,
        key_bytes: 4,
        value_bytes: 4,
        max_entries: MTU_ENTRIES,
        flags: BPF_F_RDONLY_PROG,
        lock_offset: None,
        initial: None,
        read_only: false,
    }
}

/// The symbols that name something in a section, in the order of their offsets.
fn symbols_in<'e, 'a>(elf: &'e Elf<'a>, section: usize) -> Vec<&'e Symbol<'a>> {
    let mut symbols: Vec<_> = elf
        .symbols
        .iter()
        .filter(|symbol| symbol.section == Some(section) && !symbol.name.is_empty())
        .filter(|symbol| matches!(symbol.kind, SymbolKind::Object | SymbolKind::NoType))
        .collect();
    symbols.sort_by_key(|symbol| symbol.value);
    symbols
}

/// Maps whose declaration is a variable's type in BTF: a structure whose members hold numbers as array lengths.
fn read_btf_maps(
    elf: &Elf,
    section: usize,
    btf: Option<&Btf>,
    declared: &mut DeclaredMaps,
) -> Result<(), Diagnostic> {
    let Some(btf) = btf else {
        return Err(Diagnostic::input(
            "map-without-btf",
            "the object has a .maps section but no BTF that says what the maps are",
        )
        .help("compile with -g"));
    };
    for symbol in symbols_in(elf, section) {
        let mut variables = btf.variables_of(".maps");
        let variable = variables.find(|one| btf.type_name(one.type_id) == symbol.name);
        let Some(SectionVariable {
            type_id: variable, ..
        }) = variable
        else {
            return Err(malformed(symbol.name, "BTF does not describe it"));
        };
        let map = read_btf_map(btf, variable, symbol.name)?;
        declared
            .by_place
            .insert((section, symbol.value), declared.maps.len());
        declared.maps.push(map);
    }
    Ok(())
}

fn read_btf_map(btf: &Btf, variable: u32, name: &str) -> Result<ObjectMap, Diagnostic> {
    let Shape::Variable(type_id) = btf.shape(variable) else {
        return Err(malformed(name, "it is not a variable"));
    };
    let Shape::Record { members, .. } = btf.resolve(*type_id) else {
        return Err(malformed(name, "its type is not a structure"));
    };
    let mut map = ObjectMap {
        name: name.to_string(),
        map_type: 0,
        key_bytes: 0,
        value_bytes: 0,
        max_entries: 0,
        flags: 0,
        lock_offset: None,
        initial: None,
        read_only: false,
    };
    for member in members {
        let member_name = btf.member_name(member);
        let wrong =
            |what: &str| malformed(name, &format!("its member {member_name} is not {what}"));
        let pointee = match btf.resolve(member.type_id) {
            Shape::Pointer(pointee) => Some(*pointee),
            _ => None,
        };
        let number = || match pointee.map(|pointee| btf.resolve(pointee)) {
            Some(Shape::Array { count, .. }) => Ok(*count),
            _ => Err(wrong("a number written with __uint")),
        };
        let size = || {
            pointee
                .and_then(|pointee| btf.bytes(pointee))
                .ok_or_else(|| wrong("a type of known size written with __type"))
        };
        match member_name {
            "type" => map.map_type = number()?,
            "key_size" => map.key_bytes = number()?,
            "value_size" => map.value_bytes = number()?,
            "max_entries" => map.max_entries = number()?,
            "map_flags" => map.flags = number()?,
            "key" => map.key_bytes = size()?,
            "value" => {
                map.value_bytes = size()?;
                map.lock_offset =
                    pointee.and_then(|pointee| btf.offset_of_struct(pointee, "bpf_spin_lock"));
            }
            // Pinning, NUMA node and the like do not change what a program means; the inner maps of `values` belong
            // to map types that are refused when a program uses them.
            _ => {}
        }
    }
    Ok(map)
}

/// `struct bpf_map_def`: type, key size, value size, max_entries and, where the section has room, flags; 32 bits each.
fn read_legacy_maps(
    elf: &Elf,
    index: usize,
    section: &Section,
    declared: &mut DeclaredMaps,
) -> Result<(), Diagnostic> {
    let symbols = symbols_in(elf, index);
    for (position, symbol) in symbols.iter().enumerate() {
        let end = match symbols.get(position + 1) {
            Some(next) => next.value,
            None => section.data.len() as u64,
        };
        let bytes = usize::try_from(symbol.value)
            .ok()
            .zip(usize::try_from(end).ok())
            .and_then(|(start, end)| section.data.get(start..end))
            .ok_or_else(|| malformed(symbol.name, "it lies outside its section"))?;
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap_or_default()))
            .collect();
        let [map_type, key_bytes, value_bytes, max_entries, rest @ ..] = words.as_slice() else {
            return Err(malformed(symbol.name, "it is shorter than 16 bytes"));
        };
        declared
            .by_place
            .insert((index, symbol.value), declared.maps.len());
        declared.maps.push(ObjectMap {
            name: symbol.name.to_string(),
            map_type: *map_type,
            key_bytes: *key_bytes,
            value_bytes: *value_bytes,
            max_entries: *max_entries,
            flags: rest.first().copied().unwrap_or(0),
            lock_offset: None,
            initial: None,
            read_only: false,
        });
    }
    Ok(())
}

/// A data section is an array of one entry whose value is the section (libbpf, `bpf_object__init_global_data_maps`).
fn read_data_section(
    index: usize,
    section: &Section,
    file_name: &str,
    declared: &mut DeclaredMaps,
) -> Result<(), Diagnostic> {
    let is = |name: &str| {
        section
            .name
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let read_only = is(".rodata");
    if section.size == 0 || !(read_only || is(".data") || is(".bss")) {
        return Ok(());
    }
    let mut contents = section.data.to_vec();
    contents.resize(section.size, 0);
    declared.by_section.insert(index, declared.maps.len());
    declared.maps.push(ObjectMap {
        name: data_map_name(file_name, section.name),
        map_type: MAP_TYPE_ARRAY,
        key_bytes: 4,
        value_bytes: section.size as u32,
        max_entries: 1,
        flags: if read_only {
            BPF_F_MMAPABLE | BPF_F_RDONLY_PROG
        } else {
            BPF_F_MMAPABLE
        },
        lock_offset: None,
        initial: Some(contents),
        read_only,
    });
    Ok(())
}

/// The name that libbpf gives such a map (`internal_map_name`, `bpf_map__name`): the beginning of the object's
/// name and the section's name in 15 characters; a section of the form `.data.name` keeps its own name.
fn data_map_name(file_name: &str, section: &str) -> String {
    const KERNEL_NAME_BYTES: usize = 16;
    if section.get(1..).is_some_and(|rest| rest.contains('.')) {
        return section.to_string();
    }
    let base = file_name.rsplit('/').next().unwrap_or_default();
    let object_name = base.split('.').next().unwrap_or_default();
    let suffix_bytes = section.len().max(".rodata".len());
    let prefix = object_name
        .chars()
        .take(KERNEL_NAME_BYTES - 1 - suffix_bytes)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        });
    prefix.chain(section.chars()).collect()
}

fn malformed(map: &str, reason: &str) -> Diagnostic {
    Diagnostic::input(
        "malformed-map",
        format!("the declaration of map {map} cannot be read: {reason}"),
    )
    .help("declare the map as libbpf's bpf_helpers.h shows, or compile again")
}
