//! Linux' maps as tables, and tables as Linux' maps.

use hardpath_ir::{Find, MapDecl};
use hardpath_kernel::mapfile::Shape;
use hardpath_kernel::MapType;

/// The table that a map of a type is. Which flags an update may have, and what it returns, are the program's, not the table's
/// ([`hardpath_kernel::flag`], [`hardpath_kernel::errno`]).
pub fn table(map_type: MapType, name: &str, bytes: (u32, u32), max_entries: u32) -> MapDecl {
    let find = match map_type {
        _ if map_type.is_array() => Find::Array,
        _ if map_type.has_slots() => Find::Slots,
        _ if map_type.is_trie() => Find::Prefix,
        _ => Find::Exact,
    };
    MapDecl {
        outside: map_type.name().into(),
        forgets: map_type.is_lru(),
        in_place: map_type.updates_in_place(),
        packets_write: map_type.is_writable_by_program(),
        ..MapDecl::new(name, find, bytes, max_entries)
    }
}

/// The type of map that a table is, or the one that is most like it.
pub fn map_type(decl: &MapDecl) -> MapType {
    MapType::named(&decl.outside).unwrap_or(match decl.find {
        Find::Array => MapType::Array,
        Find::Slots => MapType::DevMap,
        Find::Prefix => MapType::LpmTrie,
        Find::Exact if decl.forgets => MapType::LruHash,
        Find::Exact if decl.in_place => MapType::PerCpuHash,
        Find::Exact if decl.broadcast => MapType::DevMapHash,
        Find::Exact | Find::Ternary => MapType::Hash,
    })
}

/// A table as bpftool shows it.
pub fn shape(decl: &MapDecl) -> Shape {
    Shape {
        name: decl.name.clone(),
        map_type: map_type(decl),
        key_bytes: decl.entry_key_bytes(),
        value_bytes: decl.value_bytes,
        max_entries: decl.max_entries,
    }
}
