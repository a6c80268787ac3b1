//! How large what the host sees of maps is, for all maps of a design together.

use hardpath_blocks::hash::Hash;
use hardpath_blocks::index_bits;
use hardpath_ir::MapDecl;

/// Bits of the widest key and value, at least 32.
pub fn host_widths<'a>(maps: impl Iterator<Item = &'a MapDecl> + Clone) -> (u32, u32) {
    let widest = |bytes: fn(&MapDecl) -> u32| {
        let all = maps.clone().map(|map| bytes(map) * 8);
        all.max().unwrap_or(0).max(32)
    };
    (
        widest(|map| map.entry_key_bytes()),
        widest(|map| map.value_bytes),
    )
}

/// Slots that a dump of a map goes through; entries of the memory of its values.
pub fn slots(decl: &MapDecl) -> u32 {
    match decl.is_exact() {
        true => Hash::entries(decl.max_entries),
        false => decl.max_entries,
    }
}

/// Bits of the highest number of a slot, at least 1. `slots`: those of each map.
pub fn slot_bits(slots: impl Iterator<Item = u32>) -> u32 {
    index_bits(u64::from(slots.max().unwrap_or(0)))
}
