//! Type information (`include/uapi/linux/btf.h`), as little of it as the kernel asks for.

use super::syscall;
use hardpath_ebpf::ObjectMap;
use std::io;
use std::os::fd::OwnedFd;

/// Kinds of types, as in the second word of a type; a structure adds the number of its members.
pub const INT: u32 = 1 << 24;
const STRUCT: u32 = 4 << 24;
pub const FUNCTION: u32 = 12 << 24;
pub const PROTOTYPE: u32 = 13 << 24;
/// The word behind a type of kind [`INT`].
pub const SIGNED_32_BITS: u32 = 1 << 24 | 32;

/// Types and the names that they refer to, as one blob.
pub fn blob(types: &[u32], names: &[u8]) -> Vec<u8> {
    const MAGIC_AND_VERSION: u32 = 0x0001_eb9f;
    const HEADER_BYTES: u32 = 24;
    let type_bytes = size_of_val(types) as u32;
    let header: [u32; 6] = [
        MAGIC_AND_VERSION,
        HEADER_BYTES,
        0,
        type_bytes,
        type_bytes,
        names.len() as u32,
    ];
    let words = header.iter().chain(types);
    let mut blob: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    blob.extend(names);
    blob
}

/// What the kernel must know of a map's key and value, for `BPF_MAP_CREATE`.
pub struct MapTypes {
    pub btf: OwnedFd,
    pub key: u32,
    pub value: u32,
}

/// The types of a map whose values have a `struct bpf_spin_lock`; `None`: they have none, and the kernel needs no types.
pub fn map_types(map: &ObjectMap) -> io::Result<Option<MapTypes>> {
    const INT_TYPE: u32 = 1;
    const LOCK_TYPE: u32 = 2;
    const VALUE_TYPE: u32 = 3;
    const KEY_TYPE: u32 = 4;
    let Some(lock_offset) = map.lock_offset else {
        return Ok(None);
    };
    let types = [
        // int
        1,
        INT,
        4,
        SIGNED_32_BITS, //
        // struct bpf_spin_lock { int val; }
        5,
        STRUCT | 1,
        4,
        19,
        INT_TYPE,
        0, //
        // struct value { …; struct bpf_spin_lock lock; … }
        23,
        STRUCT | 1,
        map.value_bytes,
        29,
        LOCK_TYPE,
        lock_offset * 8, //
        // struct key { … }
        34,
        STRUCT,
        map.key_bytes,
    ];
    let names = b"\0int\0bpf_spin_lock\0val\0value\0lock\0key\0";
    // An array's key must be an integer (`array_map_check_btf`).
    let key = match map.key_bytes {
        4 => INT_TYPE,
        _ => KEY_TYPE,
    };
    Ok(Some(MapTypes {
        btf: syscall::btf_load(&blob(&types, names))?,
        key,
        value: VALUE_TYPE,
    }))
}
