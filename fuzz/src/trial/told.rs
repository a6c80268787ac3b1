//! Runs whose LRU maps forget keys: which ones is the business of whoever runs the packets, so it tells, and the judges
//! follow ([`hardpath_oracle::forgetting`]).

use crate::hardware::Driven;
use crate::packets::{enters, ports};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, KeyChange, KeyEvent, KeyMove, Maps};
use hardpath_ir::{MapId, Program};
use hardpath_oracle::LruMap;
use hardpath_packet::{Fate, Packet, Sideband};
use hardpath_session::journals::{self, Slots};

/// A packet of the interpreter's may put so many keys into a map above what it holds: those that the packet itself uses must
/// stay.
pub const SPARE: u32 = 64;

/// A run of packets.
#[derive(Default)]
pub struct Run {
    /// `None`: the packet did not enter.
    pub fates: Vec<Option<Fate>>,
    /// What filling the LRU maps, and then each packet, moved in them.
    pub filled: Vec<KeyMove>,
    pub moves: Vec<Vec<KeyMove>>,
    /// What the maps hold at the end.
    pub maps: Image,
    /// The LRU maps that forget; none: nothing is told.
    pub lru: Vec<LruMap>,
}

impl Run {
    /// Runs a program in the interpreter, in whichever form it is. `forgets`: its LRU maps tell what they forget.
    ///
    /// # Errors
    /// The image does not fit the program's maps.
    pub fn interpreted(
        program: &Program,
        image: &Image,
        packets: &[Packet],
        forgets: bool,
    ) -> Result<Run, String> {
        let mut prepared = Prepared::new(program);
        Run::one_by_one(
            program,
            (image, packets),
            forgets,
            |maps, data, sideband| Ok(prepared.run(maps, data, sideband)),
        )
    }

    /// The same of whatever runs one packet behind the other, on maps that it is given.
    ///
    /// # Errors
    /// The image does not fit the program's maps; a packet comes to no end.
    pub fn one_by_one(
        program: &Program,
        (image, packets): (&Image, &[Packet]),
        forgets: bool,
        mut run: impl FnMut(&mut Maps, &[u8], &Sideband) -> Result<Fate, String>,
    ) -> Result<Run, String> {
        let mut maps = Maps::new(&program.maps);
        maps.load(image)
            .map_err(|errors| format!("maps are gone: {:?}", errors.first()))?;
        let mut lru = Vec::new();
        if forgets {
            lru = journals::of_interpreter(program);
            lru.iter_mut().for_each(|map| map.slots += SPARE);
        }
        let mut teller = forgets.then(|| Teller::new(&lru, &mut maps));
        let first = |teller: &mut Teller| teller.slots.take_first();
        let filled = teller.as_mut().map(first).unwrap_or_default();
        let (mut fates, mut moves) = (Vec::new(), Vec::new());
        for packet in packets {
            let sideband = ports().sideband(packet);
            let run = || run(&mut maps, &packet.data, &sideband);
            fates.push(enters(packet).then(run).transpose()?);
            let tell = |teller: &mut Teller| teller.tell(&mut maps);
            moves.push(teller.as_mut().map(tell).unwrap_or_default());
        }
        Ok(Run {
            fates,
            filled,
            moves,
            maps: maps.image(),
            lru,
        })
    }

    /// The run of a design with these LRU maps.
    pub fn driven(driven: Driven, lru: Vec<LruMap>) -> Run {
        Run {
            fates: driven.outcomes,
            filled: driven.filled,
            moves: driven.moves,
            maps: driven.maps,
            lru,
        }
    }
}

/// Chooses what the interpreter's LRU maps forget: of the keys that a packet has nothing to do with the one that was not used
/// for longest.
struct Teller {
    maps: Vec<Held>,
    slots: Slots,
}

/// The keys in a map, the last used one behind all others.
struct Held {
    map: MapId,
    most: usize,
    keys: Vec<Vec<u8>>,
}

impl Teller {
    /// Begins with what the maps hold.
    fn new(lru: &[LruMap], maps: &mut Maps) -> Teller {
        let image = maps.image();
        let held = lru.iter().map(|map| Held {
            map: map.map,
            most: map.max_entries as usize,
            keys: image
                .get(&map.name)
                .map_or(Vec::new(), |entries| entries.keys().cloned().collect()),
        });
        let held = held.collect();
        let slots = Slots::new(lru, maps);
        for map in lru {
            maps.forget_as_told(map.map, map.slots);
        }
        Teller { maps: held, slots }
    }

    /// What the packet that has just run moved. What it put out is taken out now: it had nothing to do with it.
    fn tell(&mut self, maps: &mut Maps) -> Vec<KeyMove> {
        let events = maps.take_keys();
        let mut told: Vec<KeyEvent> = Vec::with_capacity(events.len());
        for event in &events {
            let Some(held) = self.maps.iter_mut().find(|held| held.map == event.map) else {
                continue;
            };
            if event.what == KeyChange::Put && held.keys.len() >= held.most {
                let touched = |key: &Vec<u8>| {
                    (events.iter()).any(|event| event.map == held.map && event.key == *key)
                };
                if let Some(at) = held.keys.iter().position(|key| !touched(key)) {
                    let key = held.keys.remove(at);
                    maps.delete(held.map, &key);
                    told.push(KeyEvent {
                        map: held.map,
                        key,
                        what: KeyChange::Forgot,
                    });
                }
            }
            held.keys.retain(|key| *key != event.key);
            if matches!(event.what, KeyChange::Put | KeyChange::Used) {
                held.keys.push(event.key.clone());
            }
            told.push(event.clone());
        }
        maps.take_keys();
        self.slots.moves(told)
    }
}
