//! How large maps are, as the host sees them: where entries may move there are other slots than [`hardpath_state::sizes`] has.

use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_ir::MapDecl;
use hardpath_state::sizes;

pub use hardpath_state::sizes::host_widths;

/// Slots that a dump of a map goes through.
pub fn slots(decl: &MapDecl) -> u32 {
    match decl.entries_may_move() {
        true => Cuckoo::slots(decl.max_entries),
        false => sizes::slots(decl),
    }
}

/// Bits of the highest number of a slot, at least 1.
pub fn slot_bits<'a>(maps: impl Iterator<Item = &'a MapDecl>) -> u32 {
    sizes::slot_bits(maps.map(slots))
}

/// Words that the sweep after reset clears: those of the deepest memory, at least 2.
pub fn clear_words<'a>(maps: impl Iterator<Item = &'a MapDecl>) -> u32 {
    maps.map(slots).max().unwrap_or(0).max(2)
}
