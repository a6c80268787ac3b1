//! Values of maps that are too long to be handled whole.
//!
//! No operation has all of such a value, so a core needs no wires and registers for it. A program's update of one becomes stores, which
//! are as good: what a packet does to maps happens at once for all others.

use hardpath_ir::{Find, MapDecl};

/// Values of more bytes are only accessed in parts.
pub const WHOLE_BYTES: u32 = 16;

/// The map's values are only accessed in parts. Of arrays alone: what makes a new entry must write its value with it.
pub fn in_parts(map: &MapDecl) -> bool {
    map.find == Find::Array && map.value_bytes > WHOLE_BYTES
}
