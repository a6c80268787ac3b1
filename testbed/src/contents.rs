//! The contents of all maps, as they stand in a design's memories.
//!
//! Through the host port a design looks into slot by slot, some dozens of clocks each, empty or not: a large table takes longer
//! than the packets. An engine that simulates the design can look at its memories instead. What stands there is what the
//! host would be told, when no packet and no operation is inside.

use crate::dut::{bit, Dut, Words};
use crate::host::key_twice;
use hardpath_blocks::interface::{Interface, MapPort, Storage};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Entries, Image};

/// Every entry of every map; `None`: this engine cannot look, so [`crate::host::Host::dump_image`] has to ask the design.
///
/// # Errors
/// `map-key-twice`.
pub fn read(dut: &dyn Dut, interface: &Interface) -> Result<Option<Image>, Diagnostic> {
    let mut image = Image::new();
    for (map, port) in interface.maps.iter().enumerate() {
        let memories = port.storage.as_ref().and_then(|storage| {
            let memory = |path: &String| dut.memory(path);
            let banks = storage.values.iter();
            Some(Memories {
                storage,
                keys: storage.keys.iter().map(memory).collect::<Option<_>>()?,
                values: banks
                    .map(|bank| memory(&bank.memory))
                    .collect::<Option<_>>()?,
            })
        });
        let Some(memories) = memories else {
            return Ok(None);
        };
        let mut entries = match memories.keys.is_empty() {
            true => memories.by_index(port),
            false => memories.by_key(port)?,
        };
        let foreign = dut.foreign().entries(map);
        entries.extend(foreign.map(|(key, value)| (key.clone(), value.clone())));
        image.insert(port.name.clone(), entries);
    }
    Ok(Some(image))
}

/// The slots of a hash table that hold a key, as a dump counts them; `None`: this engine cannot look.
pub fn slots(dut: &dyn Dut, port: &MapPort) -> Option<Vec<(u32, Vec<u8>)>> {
    let key_bits = port.table_key_bits() as usize;
    let storage = port.storage.as_ref()?;
    let memories = storage.keys.iter().map(|path| dut.memory(path));
    let memories = memories.collect::<Option<Vec<Words>>>()?;
    // The slots of a row are neighbours: one in each memory.
    let places = memories.len() as u32;
    let slots = (0..).zip(&memories).flat_map(|(place, memory)| {
        let rows = (0..).zip(memory.iter());
        rows.map(move |(row, word)| (row * places + place, word))
    });
    let taken = slots.filter(|(_, word)| bit(word, key_bits));
    Some(
        taken
            .map(|(slot, word)| (slot, port.stored.whole(&word)))
            .collect(),
    )
}

/// Bytes of a word where values lie in rows.
const ROW_BYTES: usize = 8;

/// Those of a map.
struct Memories<'a> {
    storage: &'a Storage,
    keys: Vec<Words<'a>>,
    /// As [`Storage::values`].
    values: Vec<Words<'a>>,
}

impl Memories<'_> {
    fn by_key(&self, port: &MapPort) -> Result<Entries, Diagnostic> {
        let key_bits = port.table_key_bits() as usize;
        let mut entries = Entries::new();
        let mut number = 0;
        for (place, memory) in self.keys.iter().enumerate() {
            for (row, word) in memory.iter().enumerate() {
                let at = number;
                number += 1;
                if !bit(&word, key_bits) {
                    continue;
                }
                // Values stand beside the keys, or all in one memory.
                let value = match self.values.len() == self.keys.len() {
                    true => self.values[place].word(row),
                    false => self.values[0].word(at),
                };
                let key = port.stored.whole(&word);
                let value = value[..port.value_bytes as usize].to_vec();
                if entries.insert(key.clone(), value).is_some() {
                    return Err(key_twice(port, &key));
                }
            }
        }
        Ok(entries)
    }

    fn by_index(&self, port: &MapPort) -> Entries {
        if let Some(stride) = self.storage.folded {
            return self.by_rows(port, stride);
        }
        let value_bytes = port.value_bytes as usize;
        let presence = port.table().value_bytes as usize * 8;
        let mut entries = Entries::new();
        for (words, bank) in self.values.iter().zip(&self.storage.values) {
            let mut put = |index: u32| {
                let word = words.word(index as usize);
                if !self.storage.has_presence || bit(&word, presence) {
                    entries.insert(index.to_le_bytes().to_vec(), word[..value_bytes].to_vec());
                }
            };
            match &bank.entries {
                Some(indexes) => {
                    let of_map = indexes.iter().copied().filter(|index| *index < port.slots);
                    of_map.for_each(&mut put);
                }
                None => (0..port.slots).for_each(&mut put),
            }
        }
        entries
    }

    /// Of values that lie in so many words of both memories each.
    fn by_rows(&self, port: &MapPort, stride: u32) -> Entries {
        let entry = |index: u32| {
            let words = index * stride..(index + 1) * stride;
            let rows = words.flat_map(|word| self.values.iter().map(move |bank| (bank, word)));
            let bytes =
                rows.flat_map(|(bank, word)| bank.word(word as usize)[..ROW_BYTES].to_vec());
            let mut value: Vec<u8> = bytes.collect();
            value.truncate(port.value_bytes as usize);
            (index.to_le_bytes().to_vec(), value)
        };
        (0..port.slots).map(entry).collect()
    }
}
