//! Whether an LRU map forgets as it may.
//!
//! Which key goes when such a map is full is nobody's promise, everything else is. So whoever runs the packets tells which key
//! came to which slot and which ones had to go ([`KeyMove`]); the judges' copies of the map forget the same ones, before
//! the packet that put them out. The judge does not believe what it is told. It keeps books of its own, and a report
//! is only right if
//!
//! * the key came in with that packet, and stands nowhere else;
//! * its slot is one of its places; it was empty, or the report says that another key is forgotten;
//! * then the map held `max_entries` keys, or all places of the new key were taken;
//! * the forgotten key stood in one of the places that may be taken from others;
//! * the packet itself had nothing to do with it: it neither writes the key nor would do anything else if it were still there; but for
//!   a map whose keys go in the middle of a packet ([`LruMap::at_once`]), where the judge's copy does the same;
//! * after each packet the books hold the keys that the judges' map holds, as far as the packet touched them.
//!
//! What packets before and behind did with the key is seen by their bytes, verdicts and maps. Reports come in the order of
//! packets, the host's changes in their place between them.

use hardpath_ir::count::counted;

use hardpath_ir::maps::{KeyChange, KeyEvent, KeyMove, Maps, Move};
use hardpath_ir::{MapId, May};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The slots that a key may stand in; so many of the first ones can be taken from others.
pub type Places = Box<dyn Fn(&[u8]) -> (Vec<u32>, usize) + Send>;

/// An LRU map whose holder tells what it forgets.
pub struct LruMap {
    /// Its number in the program.
    pub map: MapId,
    /// Its full name.
    pub name: String,
    /// It holds at least so many keys before it forgets one because it is full.
    pub max_entries: u32,
    /// It holds at most so many.
    pub slots: u32,
    /// `None`: any slot, and all can be taken from others.
    pub places: Option<Places>,
    /// Keys go in the middle of a packet, when the new one comes in: the packet may have to do with them before or behind. Only the
    /// interpreter can follow that.
    pub at_once: bool,
}

/// The books of all LRU maps.
#[derive(Default)]
pub struct Forgetting {
    books: BTreeMap<MapId, Book>,
}

struct Book {
    told: LruMap,
    by_slot: HashMap<u32, Vec<u8>>,
    by_key: HashMap<Vec<u8>, u32>,
    forgotten: u64,
}

/// What is wrong with a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Illegal {
    /// The map's name.
    pub map: String,
    /// What it does, with the map for a subject: `forgets 00 07, whose place may not be taken`.
    pub why: String,
}

/// What a packet's reports come to.
#[derive(Default)]
pub struct Followed {
    /// The keys that were forgotten, and the values that the judge's maps had under them.
    pub forgotten: Vec<Victim>,
    /// What is wrong with the reports.
    pub illegal: Vec<Illegal>,
}

/// An entry that had to go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Victim {
    /// The LRU map that forgot it.
    pub map: MapId,
    /// In memory order.
    pub key: Vec<u8>,
    value: Option<Vec<u8>>,
    /// The key for which it went.
    for_key: Vec<u8>,
}

impl Forgetting {
    /// Books of these maps, all of them empty.
    pub fn new(maps: Vec<LruMap>) -> Forgetting {
        let book = |told: LruMap| {
            let book = Book {
                by_slot: HashMap::new(),
                by_key: HashMap::new(),
                forgotten: 0,
                told,
            };
            (book.told.map, book)
        };
        Forgetting {
            books: maps.into_iter().map(book).collect(),
        }
    }

    /// The maps, and how many keys each has forgotten.
    pub fn forgotten(&self) -> BTreeMap<String, u64> {
        let books = self.books.values();
        books
            .map(|book| (book.told.name.clone(), book.forgotten))
            .collect()
    }

    /// Does on the judge's maps what a packet, or an operation of the host, does, behind what that made them forget.
    pub fn run<R: PartialEq>(
        &mut self,
        maps: &mut Maps,
        moves: &[KeyMove],
        mut run: impl FnMut(&mut Maps) -> R,
    ) -> (R, Followed) {
        let mut followed = self.follow(moves);
        let at_once = |victim: &Victim| self.books[&victim.map].told.at_once;
        let all = std::mem::take(&mut followed.forgotten);
        let (in_turn, before) = all.into_iter().partition(at_once);
        followed.forgotten = before;
        take_out(maps, &mut followed.forgotten);
        for Victim {
            map, key, for_key, ..
        } in in_turn
        {
            maps.forget_for(map, for_key, key);
        }
        if !followed.forgotten.is_empty() {
            maps.watch_to_undo();
        }
        let result = run(maps);
        maps.end_forget_for();
        let events = maps.take_keys();
        let contradictions = self.contradictions(moves, &events, maps);
        for victim in &followed.forgotten {
            if self.uses(maps, victim, &events, &result, &mut run) {
                let why = format!("forgets {}, which the packet itself uses", hex(&victim.key));
                followed.illegal.push(self.illegal(victim.map, why));
            }
        }
        maps.take_keys();
        maps.end_watch_to_undo();
        followed.illegal.extend(contradictions);
        (result, followed)
    }

    /// Whether keys go in the middle of a packet ([`LruMap::at_once`]).
    pub fn forgets_at_once(&self, moves: &[KeyMove]) -> bool {
        let forgets = |one: &&KeyMove| one.what == Move::Put { forgets: true };
        let mut victims = moves.iter().filter(forgets);
        victims.any(|one| {
            let book = self.books.get(&one.map);
            book.is_some_and(|book| book.told.at_once)
        })
    }

    /// Enters what one packet, or one operation of the host, moved, and takes out of the judge's maps what was forgotten.
    pub fn forget(&mut self, maps: &mut Maps, moves: &[KeyMove]) -> Followed {
        let mut followed = self.follow(moves);
        take_out(maps, &mut followed.forgotten);
        followed
    }

    fn follow(&mut self, moves: &[KeyMove]) -> Followed {
        let mut followed = Followed::default();
        for one in moves {
            let Some(book) = self.books.get_mut(&one.map) else {
                followed.illegal.push(Illegal {
                    map: one.map.to_string(),
                    why: "something is reported of a map that forgets nothing".into(),
                });
                continue;
            };
            let (victim, wrong) = book.enter(one);
            let victim = victim.map(|key| Victim {
                map: one.map,
                key,
                value: None,
                for_key: one.key.clone(),
            });
            followed.forgotten.extend(victim);
            let map = &book.told.name;
            let illegal = wrong.into_iter().map(|why| Illegal {
                map: map.clone(),
                why,
            });
            followed.illegal.extend(illegal);
        }
        followed
    }

    /// Whether a packet, which `events` and `result` are of, has to do with a key that was forgotten. Where it did not find the
    /// key it may be that nothing follows from that: then the same must come of it with the key. (A lookup whose result
    /// nobody needs is in no design.)
    fn uses<R: PartialEq>(
        &self,
        maps: &mut Maps,
        victim: &Victim,
        events: &[KeyEvent],
        result: &R,
        run: &mut impl FnMut(&mut Maps) -> R,
    ) -> bool {
        let of_key = |event: &&KeyEvent| event.map == victim.map && event.key == victim.key;
        let mut of_key = events.iter().filter(of_key).peekable();
        if of_key.peek().is_none() {
            return false;
        }
        let (Some(value), Some(book)) = (&victim.value, self.books.get(&victim.map)) else {
            return true;
        };
        if of_key.any(|event| event.what != KeyChange::Missed) {
            return true;
        }
        let without = maps.undo();
        // With the key there is one more than there may be.
        maps.forget_as_told(victim.map, u32::MAX);
        maps.update(victim.map, &victim.key, value, May::PUT);
        maps.watch_to_undo();
        let is_same = run(maps) == *result && maps.undo() == without;
        maps.undo();
        maps.delete(victim.map, &victim.key);
        maps.forget_as_told(victim.map, book.told.slots);
        maps.watch_to_undo();
        maps.redo(&without);
        !is_same
    }

    fn illegal(&self, map: MapId, why: String) -> Illegal {
        let name = self.books.get(&map).map(|book| book.told.name.clone());
        Illegal {
            map: name.unwrap_or_else(|| map.to_string()),
            why,
        }
    }

    /// What contradicts the judge's own run of the packet, or of the host's operation: `events` is what that did to keys,
    /// `maps` what it left.
    fn contradictions(&self, moves: &[KeyMove], events: &[KeyEvent], maps: &Maps) -> Vec<Illegal> {
        let mut illegal = Vec::new();
        let mut wrong = |map: MapId, why: String| illegal.push(self.illegal(map, why));
        let put = |one: &KeyMove| {
            let is_put = |event: &&KeyEvent| event.what == KeyChange::Put;
            let same = |event: &KeyEvent| event.map == one.map && event.key == one.key;
            events.iter().filter(is_put).any(same)
        };
        for one in moves {
            if matches!(one.what, Move::Put { .. }) && !put(one) {
                wrong(
                    one.map,
                    format!("takes {} in, which nobody put there", hex(&one.key)),
                );
            }
        }
        let moved = moves.iter().map(|one| (one.map, &one.key));
        let changed = (events.iter())
            .filter(|event| matches!(event.what, KeyChange::Put | KeyChange::Removed))
            .map(|event| (event.map, &event.key));
        let touched: BTreeSet<(MapId, &Vec<u8>)> = moved.chain(changed).collect();
        for (map, key) in touched {
            let Some(book) = self.books.get(&map) else {
                continue;
            };
            match (book.by_key.contains_key(key), maps.get(map, key).is_some()) {
                (true, false) => wrong(map, format!("still holds {}", hex(key))),
                (false, true) => wrong(map, format!("does not hold {}", hex(key))),
                _ => {}
            }
        }
        illegal
    }
}

/// Takes keys out of the judge's maps, and keeps their values.
fn take_out(maps: &mut Maps, victims: &mut [Victim]) {
    for victim in victims {
        victim.value = maps.get(victim.map, &victim.key).map(<[u8]>::to_vec);
        maps.delete(victim.map, &victim.key);
    }
    maps.take_keys();
}

impl Book {
    /// The key that had to go, and what is wrong.
    fn enter(&mut self, one: &KeyMove) -> (Option<Vec<u8>>, Vec<String>) {
        let mut wrong = Vec::new();
        let key = hex(&one.key);
        let slot = one.slot;
        let forgets = match one.what {
            Move::Removed => {
                match self.by_slot.get(&slot) {
                    Some(held) if *held == one.key => {
                        self.by_slot.remove(&slot);
                        self.by_key.remove(&one.key);
                    }
                    _ => wrong.push(format!("removes {key} from slot {slot}, where it is not")),
                }
                return (None, wrong);
            }
            Move::Put { forgets } => forgets,
        };
        if let Some(old) = self.by_key.get(&one.key) {
            wrong.push(format!("takes {key} in twice: it stands in slot {old}"));
        }
        if slot >= self.told.slots {
            wrong.push(format!(
                "puts {key} into slot {slot} of {}",
                self.told.slots
            ));
        }
        let places = self.told.places.as_ref().map(|places| places(&one.key));
        if let Some((places, _)) = &places {
            if !places.contains(&slot) {
                wrong.push(format!(
                    "puts {key} into slot {slot}, which is none of its places"
                ));
            }
        }
        let held = self.by_slot.get(&slot).cloned();
        match (&held, forgets) {
            (Some(held), false) => {
                wrong.push(format!("forgets {} for {key} without a report", hex(held)))
            }
            (None, true) => wrong.push(format!(
                "says that {key} takes a place from another key, but slot {slot} was empty"
            )),
            (Some(held), true) => wrong.extend(self.objection(hex(held), slot, &places)),
            (None, false) => {}
        }
        if let Some(held) = &held {
            self.by_key.remove(held);
            self.forgotten += 1;
        }
        self.by_slot.insert(slot, one.key.clone());
        self.by_key.insert(one.key.clone(), slot);
        (held, wrong)
    }

    /// Why the key in a slot may not go.
    fn objection(
        &self,
        held: String,
        slot: u32,
        places: &Option<(Vec<u32>, usize)>,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        let count = self.by_slot.len();
        let (no_place, may_go) = match places {
            Some((places, first)) => (
                places.iter().all(|place| self.by_slot.contains_key(place)),
                places.iter().take(*first).any(|place| *place == slot),
            ),
            None => (count >= self.told.slots as usize, true),
        };
        if count < self.told.max_entries as usize && !no_place {
            wrong.push(format!(
                "forgets {held} too early: it held {count} of {}, and the new one had a free place",
                counted(self.told.max_entries, "key")
            ));
        }
        if !may_go {
            wrong.push(format!("forgets {held}, whose place may not be taken"));
        }
        wrong
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_ir::interpreter::Prepared;
    use hardpath_ir::parse;
    use hardpath_packet::Sideband;

    fn map() -> MapId {
        MapId::from_u32(0)
    }

    /// Two keys at least, four slots; a key's places are its number and the next one, the first of which can be taken.
    fn books() -> Forgetting {
        let places = |key: &[u8]| {
            let first = u32::from(key[0]) % 4;
            (vec![first, (first + 1) % 4], 1)
        };
        Forgetting::new(vec![LruMap {
            map: map(),
            name: "seen".into(),
            max_entries: 2,
            slots: 4,
            places: Some(Box::new(places)),
            at_once: false,
        }])
    }

    fn put(key: u8, slot: u32, forgets: bool) -> KeyMove {
        KeyMove {
            map: map(),
            key: vec![key],
            slot,
            what: Move::Put { forgets },
        }
    }

    fn follow(moves: &[KeyMove]) -> Vec<String> {
        let mut books = books();
        let all = moves
            .iter()
            .map(|one| books.follow(std::slice::from_ref(one)));
        let why = all.flat_map(|followed| followed.illegal.into_iter().map(|one| one.why));
        why.collect()
    }

    #[test]
    fn a_full_map_may_forget() {
        assert_eq!(
            follow(&[put(0, 0, false), put(1, 1, false), put(4, 0, true)]),
            [""; 0]
        );
    }

    #[test]
    fn what_is_not_right_is_told() {
        let cases: [(&[KeyMove], &str); 7] = [
            (&[put(0, 0, false), put(4, 0, true)], "too early"),
            (&[put(0, 0, false), put(4, 0, false)], "without a report"),
            (&[put(0, 0, true)], "was empty"),
            (&[put(0, 2, false)], "none of its places"),
            (&[put(0, 0, false), put(0, 1, false)], "twice"),
            (
                &[put(0, 0, false), put(1, 1, false), put(4, 1, true)],
                "may not be taken",
            ),
            (&[put(0, 9, false)], "slot 9 of 4"),
        ];
        for (moves, expected) in cases {
            let wrong = follow(moves);
            assert!(
                wrong.iter().any(|why| why.contains(expected)),
                "{expected}: {wrong:?}"
            );
        }
        let removed = KeyMove {
            what: Move::Removed,
            ..put(3, 3, false)
        };
        assert!(follow(&[removed])[0].contains("where it is not"));
    }

    /// What is wrong when a packet puts key 5 into a map with keys 1 and 2, which forgets key 1 for that. Before, it looks key 1
    /// up and does `then` with what it finds.
    fn looks_up_what_goes(then: &str) -> Vec<String> {
        let text = format!(
            "program \"p\" dataflow\noutput \"verdict\" 32

             map @seen exact key 1 value 1 entries 2 forgets

             block0:
                 v0:8 = const 0x1
                 v1:1, v2:32 = map.lookup @seen v0
                 v3:32 = const 0x2
                 {then}
                 v4:8 = const 0x5
                 v5:2 = const 0x3
                 v6:3 = map.update @seen v4, v4, v5
                 v9000:1 = const 1
                 emit v9000 with v9
            "
        );
        let program = parse::parse(&text).unwrap();
        let mut maps = Maps::new(&program.maps);
        let mut books = books();
        maps.forget_as_told(map(), 4);
        maps.watch_keys();
        maps.update(map(), &[1], &[5], May::PUT);
        maps.update(map(), &[2], &[5], May::PUT);
        books.forget(&mut maps, &[put(1, 1, false), put(2, 2, false)]);
        let mut prepared = Prepared::new(&program);
        let moves = [put(5, 1, true)];
        let run = |maps: &mut Maps| prepared.run(maps, &[], &Sideband::default());
        let (_, followed) = books.run(&mut maps, &moves, run);
        // It is as if nobody had tried.
        let held = &maps.image()["seen"];
        let keys: Vec<&Vec<u8>> = held.keys().collect();
        assert_eq!(keys, [&[2], &[5]]);
        assert_eq!(maps.undo(), []);
        followed.illegal.into_iter().map(|one| one.why).collect()
    }

    #[test]
    fn a_key_from_which_nothing_follows_may_go() {
        let uses = "forgets 01, which the packet itself uses";
        assert_eq!(looks_up_what_goes("v9:32 = const 0x2"), [""; 0]);
        assert_eq!(looks_up_what_goes("v9:32 = select v1, v3, v3"), [""; 0]);
        assert_eq!(looks_up_what_goes("v9:32 = zext v1"), [uses]);
        let stores = "v9:32 = const 0x2
                 v10:32 = const 0x0
                 v11:8 = const 0x9
                 map.store @seen v2, v10, v11 if v1";
        assert_eq!(looks_up_what_goes(stores), [uses]);
        let deletes = "v9:32 = const 0x2
                 v10:3 = map.delete @seen v0";
        assert_eq!(looks_up_what_goes(deletes), [uses]);
    }
}
