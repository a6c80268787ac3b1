//! Map accesses become whole words: reads at the front, writes at the end.
//!
//! ```text
//! v3 = map.load @m v1, 4                  v2:64 = map.load @m v1, 0
//! v4 = add v3, 1                     →    v3 = slice v2, 32
//! map.store @m v1, 4, v4 if v9            v4 = add v3, 1
//!                                         v5 = concat v4, (slice v2, 0)
//!                                         v6 = select v9, v5, v2
//!                                         map.store @m v1, 0, v6 if v9
//! ```
//!
//! A packet's own later reads are forwarded from its own pending writes here, as values. So what a packet reads from
//! the memories is the state before it, and all that it writes can be committed at one place.
//!
//! What a program holds after a lookup becomes the number of an *element*: one that the map had before the packet
//! (found by a lookup, or at an index), or one that an update of this packet made. A pointer that may come from
//! several lookups is a choice among such numbers. The rules of [`hardpath_ir::maps`] hold: an update replaces the element, so that
//! what is loaded through an older pointer is the old value, and what is stored through it vanishes, also when the
//! store is moved in front of the update. (Of a table that is updated in place the update writes the element itself, and an older
//! pointer goes on to what the update made.) What becomes of a pointer after more changes than that nobody
//! needs to know: [`crate::old_pointers`] has refused it.
//!
//! After this pass the region holds for each map, in this order: lookups (one for each key), loads at offset 0 of whole
//! values (one for each element), stores of whole values, updates and deletes. All loads and lookups see the map as
//! it was before the packet.

mod bytes;
mod chosen;
mod given;
mod tables;

use crate::refuse::needs_result;
use crate::region::{self, Rebuild};
use chosen::{same_index, Chosen};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Answer, AtomicOp, Inst, InstData, MapId, Op, Program, Value};
use hardpath_passes::array_lookup;
use std::collections::{BTreeMap, HashMap};
use tables::{Change, Lookup};

/// Runs the pass. The program is in the dataflow phase.
///
/// # Errors
/// Programs whose accesses of a map need what the same packet's update or delete of that map gives.
pub fn map_words(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    // An array's element is its index here. The passes on control flow have seen to that, where they have run.
    let is_lookup = |(_, inst): (_, Inst)| match program.insts[inst].op {
        Op::MapLookup(map) => program.maps[map].is_array(),
        _ => false,
    };
    if program.insts_in_order().any(is_lookup) {
        array_lookup(program).map_err(|error| vec![error])?;
    }
    let offsets = bytes::offsets(program);
    let (rebuild, old) = Rebuild::start(program);
    let mut words = Words {
        rebuild,
        maps: BTreeMap::new(),
        offsets,
        offset_is: HashMap::new(),
    };
    for inst in old {
        words.lower(inst);
    }
    words.write_back();
    words.rebuild.finish();
    region::sort(program).map_err(|circle| {
        let mut pairs = results_needed(program, &circle);
        if pairs.is_empty() {
            pairs.push((circle[0], circle[0]));
        }
        vec![needs_result(program, &pairs)]
    })
}

/// On a circle of dependences: the updates and deletes whose results are needed, each with the access that needs it. There is
/// one, because nothing else gives a value and stands behind others of its map.
fn results_needed(program: &Program, circle: &[Inst]) -> Vec<(Inst, Inst)> {
    let mut pairs = Vec::new();
    for (at, inst) in circle.iter().enumerate() {
        let data = &program.insts[*inst];
        let mut behind = circle[at + 1..].iter().chain(&circle[..=at]);
        let uses = |next: &Inst| {
            let next = &program.insts[*next];
            let mut values = next.args.iter().chain(&next.guard);
            values.any(|value| data.results.contains(value))
        };
        if data.op.changes_keys() && behind.clone().next().is_some_and(uses) {
            let needs = behind.find(|next| program.insts[**next].op.map().is_some());
            pairs.extend(needs.map(|needs| (*inst, *needs)));
        }
    }
    pairs
}

/// Something that a pointer into a map's values can point to.
struct Element {
    origin: Origin,
    /// The value as the packet sees it at this point of its program. Absent: nobody has asked yet.
    word: Option<Value>,
    /// The condition under which it was written; absent: not written.
    written: Option<Option<Value>>,
    /// The last instruction that wrote it.
    writer: Option<Inst>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// An array's entry at this index.
    Index(Value),
    /// What lookup number `.0` found.
    Found(usize),
    /// What change number `.0`, an update, put in.
    Made(usize),
}

#[derive(Default)]
struct MapState {
    elements: Vec<Element>,
    /// One for each key.
    lookups: Vec<Lookup>,
    /// Updates and deletes, in program order.
    changes: Vec<Change>,
}

/// An element that a pointer may mean, and the condition under which it does (absent: always).
type Choice = (usize, Option<Value>);

struct Words<'a> {
    rebuild: Rebuild<'a>,
    maps: BTreeMap<MapId, MapState>,
    /// What offsets of the old region can be, where that is a few constants.
    offsets: HashMap<Value, Vec<u64>>,
    /// The conditions that an offset is a constant, as far as they were needed.
    offset_is: HashMap<(Value, u64), Value>,
}

impl Words<'_> {
    fn lower(&mut self, inst: Inst) {
        let data = self.rebuild.program.insts[inst].clone();
        let Some(map) = data.op.map() else {
            self.rebuild.keep(inst);
            return;
        };
        let indexed = self.rebuild.program.maps[map].is_array();
        match data.op {
            Op::MapLookup(_) => self.lookup(map, inst, &data),
            Op::MapLoad(_) => {
                let value = self.load(map, &data);
                self.rebuild.rename(data.results[0], value);
            }
            Op::MapStore(_) => {
                let value = self.rebuild.now(data.args[2]);
                self.store(map, inst, &data, value, self.guard(&data));
            }
            Op::MapAtomic(_, op) => self.atomic(map, inst, &data, op),
            Op::MapUpdate(_) if indexed => self.update_indexed(map, inst, &data),
            Op::MapDelete(_) if indexed => {
                self.delete_indexed(map, &data);
            }
            _ => self.change(map, inst, &data),
        }
    }

    fn state(&mut self, map: MapId) -> &mut MapState {
        self.maps.entry(map).or_default()
    }

    fn guard(&self, data: &InstData) -> Option<Value> {
        data.guard.map(|guard| self.rebuild.now(guard))
    }

    /// The elements that a pointer may mean. `guard` holds when it is used.
    fn choices(&mut self, map: MapId, number: Value, guard: Option<Value>) -> Vec<Chosen> {
        if self.rebuild.program.maps[map].is_array() {
            if let Some(place) = self.known_index(map, number) {
                return vec![(place, None, Vec::new())];
            }
            if let Some(choices) = self.chosen_index(map, number, guard) {
                return choices;
            }
            return vec![(self.at_index(map, number), None, Vec::new())];
        }
        let choices = self.numbered(map, number);
        let choices = match self.rebuild.program.maps[map].in_place {
            true => self.updated_in_place(map, choices),
            false => choices,
        };
        let plain = |(place, condition)| (place, condition, Vec::new());
        choices.into_iter().map(plain).collect()
    }

    /// The element of an array at an index, when the packet has met it.
    fn known_index(&self, map: MapId, index: Value) -> Option<usize> {
        let program = &*self.rebuild.program;
        let same = |element: &Element| matches!(element.origin, Origin::Index(other) if same_index(program, other, index));
        self.maps.get(&map)?.elements.iter().position(same)
    }

    /// The element of an array at an index.
    fn at_index(&mut self, map: MapId, index: Value) -> usize {
        if let Some(place) = self.known_index(map, index) {
            return place;
        }
        let state = self.maps.entry(map).or_default();
        state.elements.push(Element {
            origin: Origin::Index(index),
            word: None,
            written: None,
            writer: None,
        });
        state.elements.len() - 1
    }

    /// The value of an element as it is now, loaded when it is new.
    fn word(&mut self, map: MapId, place: usize) -> Value {
        if let Some(word) = self.maps[&map].elements[place].word {
            return word;
        }
        let entry = match self.maps[&map].elements[place].origin {
            Origin::Index(index) => index,
            Origin::Found(number) => {
                let lookup = self.maps[&map].lookups[number].inst;
                self.rebuild.program.insts[lookup].results[1]
            }
            Origin::Made(_) => unreachable!("an update gives the value with the element"),
        };
        let bits = self.rebuild.program.maps[map].value_bytes * 8;
        let zero = self.rebuild.constant(0, 32);
        let load = self
            .rebuild
            .push(Op::MapLoad(map), vec![entry, zero], &[bits], None, None);
        let mut word = self.rebuild.program.insts[load].results[0];
        let name = format!("{}_word", self.rebuild.program.maps[map].name);
        self.rebuild.program.values[word].name = Some(name);
        // Another element may be the same one: then its pending write is what is read here.
        for other in 0..self.maps[&map].elements.len() {
            let element = &self.maps[&map].elements[other];
            if let (Some(guard), Some(pending)) = (element.written, element.word) {
                if let Some(same) = self.same_element(map, other, place) {
                    let hit = self.rebuild.and(same, guard);
                    word = self.rebuild.select(hit, pending, word);
                }
            }
        }
        self.state(map).elements[place].word = Some(word);
        word
    }

    /// The condition under which two elements are the same one (absent: always); `None`: never.
    fn same_element(&mut self, map: MapId, a: usize, b: usize) -> Option<Option<Value>> {
        let state = &self.maps[&map];
        let is_matched = self.rebuild.program.maps[map].is_matched();
        let key = |place: usize| match state.elements[place].origin {
            Origin::Index(index) => Some(index),
            // Different keys may find the same entry.
            Origin::Found(number) if is_matched => {
                let lookup = state.lookups[number].inst;
                Some(self.rebuild.program.insts[lookup].results[1])
            }
            Origin::Found(number) => Some(state.lookups[number].key),
            Origin::Made(_) => None,
        };
        let (a, b) = (key(a)?, key(b)?);
        self.same_key(a, b)
    }

    /// The condition under which two keys are equal (absent: always); `None`: never.
    fn same_key(&mut self, a: Value, b: Value) -> Option<Option<Value>> {
        let program = &*self.rebuild.program;
        if same_value(program, a, b) {
            return Some(None);
        }
        if program.as_const(a).is_some() && program.as_const(b).is_some() {
            return None;
        }
        Some(Some(self.rebuild.op(Op::Eq, vec![a, b], 1)))
    }

    fn load(&mut self, map: MapId, data: &InstData) -> Value {
        let number = self.rebuild.now(data.args[0]);
        let width = self.rebuild.width(data.results[0]);
        let mut loaded = None;
        for (place, condition, _) in self.choices(map, number, self.guard(data)) {
            let word = self.word(map, place);
            let part = self.part(map, word, data.args[1], width);
            loaded = Some(match loaded {
                None => part,
                Some(other) => self.rebuild.select(condition, part, other),
            });
        }
        loaded.unwrap_or_else(|| self.rebuild.zeros(width))
    }

    fn store(
        &mut self,
        map: MapId,
        inst: Inst,
        data: &InstData,
        value: Value,
        guard: Option<Value>,
    ) {
        let offsets = self.offsets_of(map, data.args[1], self.rebuild.width(value));
        let number = self.rebuild.now(data.args[0]);
        let choices = self.choices(map, number, guard);
        let alone = choices.len() == 1;
        for (place, condition, known) in choices {
            let value = self.given_terms(value, &known);
            let guard = match alone {
                true => guard,
                false => self.rebuild.and(condition, guard),
            };
            let Some((guard, value)) = self.given_element(map, place, guard, value) else {
                continue;
            };
            let mut word = self.word(map, place);
            for (number, (offset, is)) in offsets.iter().enumerate() {
                let value = self.given_offset(value, &offsets, number);
                let guard = self.rebuild.and(*is, guard);
                let inserted = self.inserted(word, *offset, value);
                word = self.rebuild.select(guard, inserted, word);
                self.store_to_others(map, place, *offset, value, guard);
            }
            let written = match self.maps[&map].elements[place].written {
                None => guard,
                Some(before) => self.rebuild.or(before, guard),
            };
            let element = &mut self.state(map).elements[place];
            element.word = Some(word);
            element.written = Some(written);
            element.writer = Some(inst);
        }
    }

    /// What was stored in an element stands in every other one that is the same.
    fn store_to_others(
        &mut self,
        map: MapId,
        place: usize,
        offset: Value,
        value: Value,
        guard: Option<Value>,
    ) {
        for other in 0..self.maps[&map].elements.len() {
            let Some(word) = self.maps[&map].elements[other].word else {
                continue;
            };
            if other == place {
                continue;
            }
            if let Some(same) = self.same_element(map, place, other) {
                let hit = self.rebuild.and(same, guard);
                let inserted = self.inserted(word, offset, value);
                let new = self.rebuild.select(hit, inserted, word);
                self.state(map).elements[other].word = Some(new);
            }
        }
    }

    fn atomic(&mut self, map: MapId, inst: Inst, data: &InstData, op: AtomicOp) {
        let width = self.rebuild.width(data.results[0]);
        let old = self.load(map, data);
        let operand = self.rebuild.now(data.args[2]);
        let binary = match op {
            AtomicOp::Add => Some(Op::Add),
            AtomicOp::And => Some(Op::And),
            AtomicOp::Or => Some(Op::Or),
            AtomicOp::Xor => Some(Op::Xor),
            AtomicOp::Xchg | AtomicOp::CmpXchg => None,
        };
        let new = match (binary, op) {
            (Some(binary), _) => self.rebuild.op(binary, vec![old, operand], width),
            (None, AtomicOp::CmpXchg) => {
                let expected = self.rebuild.now(data.args[3]);
                let equal = self.rebuild.op(Op::Eq, vec![old, expected], 1);
                self.rebuild.select(Some(equal), operand, old)
            }
            (None, _) => operand,
        };
        self.store(map, inst, data, new, self.guard(data));
        self.rebuild.rename(data.results[0], old);
    }

    /// An update of an array: a store of the whole value.
    fn update_indexed(&mut self, map: MapId, inst: Inst, data: &InstData) {
        let key = self.rebuild.now(data.args[0]);
        let value = self.rebuild.now(data.args[1]);
        let may = self.rebuild.now(data.args[2]);
        let inside = self.inside(map, key);
        let create = self.rebuild.slice(may, 0, 1);
        let replace = self.rebuild.slice(may, 1, 1);
        let done = self.rebuild.op(Op::And, vec![inside, replace], 1);
        let [fine, exists, refused, bad_index] = [
            Answer::Done,
            Answer::Exists,
            Answer::Refused,
            Answer::BadIndex,
        ]
        .map(|answer| self.rebuild.constant(answer.code().into(), Answer::BITS));
        let kept = self.rebuild.select(Some(create), exists, refused);
        let answer = self.rebuild.select(Some(replace), fine, kept);
        let answer = self.rebuild.select(Some(inside), answer, bad_index);
        let guard = self.rebuild.and(self.guard(data), Some(done));
        let offset = self.rebuild.constant(0, 32);
        let access = InstData {
            args: vec![key, offset],
            ..data.clone()
        };
        self.store(map, inst, &access, value, guard);
        self.rebuild.rename(data.results[0], answer);
    }

    /// A delete of an array, in which every entry always exists.
    fn delete_indexed(&mut self, map: MapId, data: &InstData) {
        let key = self.rebuild.now(data.args[0]);
        let inside = self.inside(map, key);
        let [refused, bad_index] = [Answer::Refused, Answer::BadIndex]
            .map(|answer| self.rebuild.constant(answer.code().into(), Answer::BITS));
        let answer = self.rebuild.select(Some(inside), refused, bad_index);
        self.rebuild.rename(data.results[0], answer);
    }

    /// The condition that an index is one of the map's.
    fn inside(&mut self, map: MapId, index: Value) -> Value {
        let entries = u64::from(self.rebuild.program.maps[map].max_entries);
        let limit = self.rebuild.constant(entries, 32);
        self.rebuild.op(Op::Ult, vec![index, limit], 1)
    }

    /// Appends the stores, and gives the updates their last values.
    fn write_back(&mut self) {
        let maps: Vec<MapId> = self.maps.keys().copied().collect();
        for map in maps {
            for place in 0..self.maps[&map].elements.len() {
                let element = &self.maps[&map].elements[place];
                let (Some(guard), Some(word), Some(writer)) =
                    (element.written, element.word, element.writer)
                else {
                    continue;
                };
                let entry = match element.origin {
                    Origin::Index(index) => index,
                    Origin::Found(number) => {
                        let lookup = self.maps[&map].lookups[number].inst;
                        self.rebuild.program.insts[lookup].results[1]
                    }
                    Origin::Made(change) => {
                        self.last_value(map, change, word);
                        continue;
                    }
                };
                let from = self.rebuild.program.insts[writer].place;
                let zero = self.rebuild.constant(0, 32);
                let args = vec![entry, zero, word];
                self.rebuild.push(Op::MapStore(map), args, &[], guard, from);
            }
        }
    }
}

/// Whether two values are the same one or equal constants.
fn same_value(program: &Program, a: Value, b: Value) -> bool {
    a == b || matches!((program.as_const(a), program.as_const(b)), (Some(a), Some(b)) if a == b)
}
