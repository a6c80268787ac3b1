//! LRU maps as those who judge want them: how many keys they hold, and where a key may stand.

use hardpath_blocks::hash::Hash;
use hardpath_blocks::interface::{Interface, Journal, Turns};
use hardpath_ir::maps::{KeyChange, KeyEvent, KeyMove, Maps, Move};
use hardpath_ir::{MapId, Program};
use hardpath_oracle::LruMap;
use std::collections::{BTreeMap, HashMap};

/// The LRU maps of a design with journals.
pub fn of_design(interface: &Interface) -> Vec<LruMap> {
    let maps = interface.maps.iter().enumerate();
    let lru = maps.filter(|(_, port)| port.journal.is_some());
    lru.map(|(number, port)| {
        let port = port.clone();
        LruMap {
            map: MapId::from_u32(number as u32),
            name: port.name.clone(),
            max_entries: port.max_entries,
            slots: port.slots,
            at_once: port.journal.as_ref().is_some_and(ends),
            places: Some(Box::new(move |key| port.places(key))),
        }
    })
    .collect()
}

/// Packets have their turns one by one, and keys go when others come.
fn ends(journal: &Journal) -> bool {
    journal.turns == Turns::End
}

/// Those of the interpreter, where any key can stand anywhere.
pub fn of_interpreter(program: &Program) -> Vec<LruMap> {
    let maps = program.maps.iter();
    let lru = maps.filter(|(_, decl)| decl.forgets);
    lru.map(|(map, decl)| LruMap {
        map,
        name: decl.name.clone(),
        max_entries: decl.max_entries,
        slots: decl.max_entries,
        places: None,
        at_once: false,
    })
    .collect()
}

/// How many keys the LRU maps of a program hold at the most: in hardware, or in the interpreter.
pub fn slots(program: &Program, in_hardware: bool) -> BTreeMap<String, u32> {
    let lru = of_interpreter(program).into_iter();
    lru.map(|map| {
        let slots = match in_hardware {
            true => Hash::entries(map.max_entries),
            false => map.slots,
        };
        (map.name, slots)
    })
    .collect()
}

/// Numbers for the slots of the interpreter's maps, which have none: a key takes the slot of the one that went for it.
pub struct Slots {
    maps: BTreeMap<MapId, Numbers>,
    /// What the maps held at first.
    first: Vec<KeyMove>,
}

#[derive(Default)]
struct Numbers {
    of_key: HashMap<Vec<u8>, u32>,
    free: Vec<u32>,
    next: u32,
}

impl Slots {
    /// Begins with what the maps hold.
    pub fn new(lru: &[LruMap], maps: &mut Maps) -> Slots {
        let mut slots = Slots {
            maps: lru
                .iter()
                .map(|map| (map.map, Numbers::default()))
                .collect(),
            first: Vec::new(),
        };
        let image = maps.image();
        let held = lru.iter().flat_map(|map| {
            let keys = image
                .get(&map.name)
                .into_iter()
                .flat_map(|entries| entries.keys());
            keys.map(|key| KeyEvent {
                map: map.map,
                key: key.clone(),
                what: KeyChange::Put,
            })
        });
        let held: Vec<KeyEvent> = held.collect();
        slots.first = slots.moves(held);
        maps.watch_keys();
        slots
    }

    /// What the maps held at first, once.
    pub fn take_first(&mut self) -> Vec<KeyMove> {
        std::mem::take(&mut self.first)
    }

    /// What happened to keys, with slots.
    pub fn moves(&mut self, events: Vec<KeyEvent>) -> Vec<KeyMove> {
        let mut moves = Vec::new();
        let mut forgotten = false;
        for KeyEvent { map, key, what } in events {
            let Some(numbers) = self.maps.get_mut(&map) else {
                continue;
            };
            let (slot, what) = match what {
                KeyChange::Used | KeyChange::Missed => continue,
                KeyChange::Forgot => {
                    // The event behind this one is that of the key for which it goes.
                    numbers.free.extend(numbers.of_key.remove(&key));
                    forgotten = true;
                    continue;
                }
                KeyChange::Put => {
                    let slot = numbers.free.pop().unwrap_or_else(|| {
                        numbers.next += 1;
                        numbers.next - 1
                    });
                    numbers.of_key.insert(key.clone(), slot);
                    let forgets = std::mem::take(&mut forgotten);
                    (slot, Move::Put { forgets })
                }
                KeyChange::Removed => {
                    let Some(slot) = numbers.of_key.remove(&key) else {
                        continue;
                    };
                    numbers.free.push(slot);
                    (slot, Move::Removed)
                }
            };
            moves.push(KeyMove {
                map,
                key,
                slot,
                what,
            });
        }
        moves
    }
}
