//! What a driver must know of a design: what the JSON file in the design's folder says.

use crate::KeyBits;

/// A design as a driver sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Design {
    /// As messages call it.
    pub name: String,
    /// What DESIGN_ID must read.
    pub design_id: u32,
    /// The port table exists.
    pub has_port_table: bool,
    /// What packets are counted as, by number: the names of the first output's values, or not forwarded and forwarded.
    pub outcomes: Vec<String>,
    /// By their numbers in operations.
    pub maps: Vec<Map>,
}

/// A map as the host sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// As the program calls it.
    pub name: String,
    /// What its maker calls this kind of map.
    pub kind: String,
    /// Of an entry's key; of entries with masks and a priority the fields, as many bytes of masks, and 4 of priority. A lookup
    /// takes as many, and looks at the fields.
    pub key_bytes: u32,
    /// Which bits of a key are stored. A key that has other bits than the constants of the rest is *foreign*: the host keeps it and
    /// its value ([`Foreign`](crate::Foreign)). On such a key [`LOOKUP`](crate::command::LOOKUP) answers MISSING,
    /// [`UPDATE`](crate::command::UPDATE) only takes a place of `max_entries` (DONE, or FULL; MAP_MAY and VALUE mean nothing) and
    /// [`DELETE`](crate::command::DELETE) gives one back (DONE). So the host asks for a place when a key is new and for none when it
    /// overwrites, and gives back only what it took. A dump never gives such a key.
    pub stored: KeyBits,
    /// Of an entry's value, in bytes.
    pub value_bytes: u32,
    /// How many entries it takes, foreign ones among them.
    pub max_entries: u32,
    /// Number of slots that a dump goes through: 0..slots.
    pub slots: u32,
    /// What MAP_SELECT is for it.
    pub select: u32,
}

impl Design {
    /// The number of the map of that name.
    pub fn map_named(&self, name: &str) -> Option<usize> {
        self.maps.iter().position(|map| map.name == name)
    }
}
