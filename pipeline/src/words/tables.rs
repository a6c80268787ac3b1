//! Lookups, updates and deletes of maps with keys.

use super::{same_value, Choice, Element, Origin, Words};
use hardpath_ir::{Answer, Inst, InstData, MapId, May, Op, Value};
use hardpath_passes::are_disjoint;
use std::collections::{BTreeSet, HashMap, HashSet};

/// All lookups of one key.
pub struct Lookup {
    pub key: Value,
    /// The one that stays.
    pub inst: Inst,
    /// The element that it finds.
    element: usize,
}

/// An update or delete.
pub struct Change {
    pub inst: Inst,
    pub key: Value,
    pub guard: Option<Value>,
    /// Of an update of a hash: what must hold for it.
    pub wants: Option<Wants>,
    /// The element that an update makes.
    makes: Option<usize>,
    /// The condition that an update happened and succeeded, once somebody has asked.
    pub done: Option<Value>,
}

/// What an update wants ([`May`]).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    Any,
    NoKey,
    Key,
    /// It may nothing.
    Nothing,
    /// What these bits of a [`May`] say.
    AsBits(Value),
}

impl Words<'_> {
    pub fn lookup(&mut self, map: MapId, inst: Inst, data: &InstData) {
        let key = self.rebuild.now(data.args[0]);
        let guard = self.guard(data);
        let program = &*self.rebuild.program;
        let state = self.maps.entry(map).or_default();
        let earlier: Vec<usize> = (0..state.changes.len())
            .filter(|change| {
                let other = state.changes[*change].guard;
                !matches!((other, guard), (Some(a), Some(b)) if are_disjoint(program, a, b))
            })
            .collect();
        let number = self.first_of_key(map, inst, (key, guard), !earlier.is_empty());
        let lookup = &self.maps[&map].lookups[number];
        let (found, element) = (lookup.inst, lookup.element);
        let hit = self.rebuild.program.insts[found].results[0];
        let handle = self.rebuild.constant(element as u64, 32);
        let (hit, handle) = earlier.into_iter().fold((hit, handle), |found, change| {
            self.after_change(map, change, key, found)
        });
        self.rebuild.rename(data.results[0], hit);
        self.rebuild.rename(data.results[1], handle);
    }

    /// The number of the lookup that stays for a key: an earlier one, or this. `is_behind`: behind changes of the packet.
    fn first_of_key(
        &mut self,
        map: MapId,
        inst: Inst,
        (key, guard): (Value, Option<Value>),
        is_behind: bool,
    ) -> usize {
        let program = &*self.rebuild.program;
        let lookups = &self.maps[&map].lookups;
        let known = lookups
            .iter()
            .position(|lookup| same_value(program, lookup.key, key));
        if let Some(number) = known {
            let first = lookups[number].inst;
            if self.rebuild.program.insts[first].guard != guard {
                self.rebuild.program.insts[first].guard = None;
            }
            return number;
        }
        self.rebuild.keep(inst);
        if is_behind {
            // It reads the state before the packet, early: its guard may follow from the change.
            self.rebuild.program.insts[inst].guard = None;
        }
        let state = self.state(map);
        let number = state.lookups.len();
        state.elements.push(Element {
            origin: Origin::Found(number),
            word: None,
            written: None,
            writer: None,
        });
        let element = state.elements.len() - 1;
        state.lookups.push(Lookup { key, inst, element });
        number
    }

    /// Whether and where a key is found after change number `number` of the packet.
    fn after_change(
        &mut self,
        map: MapId,
        number: usize,
        key: Value,
        (hit, handle): (Value, Value),
    ) -> (Value, Value) {
        let change = &self.maps[&map].changes[number];
        let (other, guard, makes) = (change.key, change.guard, change.makes);
        let wants = change.wants;
        let Some(same) = self.same_key(other, key) else {
            return (hit, handle);
        };
        if let (Some(wants), Some(element)) = (wants, makes) {
            let concerns = self.rebuild.and(same, guard);
            let made = self.rebuild.constant(element as u64, 32);
            return self.after_update(map, number, wants, (same, concerns), (hit, handle), made);
        }
        let (happened, hits) = match makes {
            Some(_) => (Some(self.done(map, number)), 1),
            None => (guard, 0),
        };
        let concerns = self.rebuild.and(same, happened);
        let known = self.rebuild.constant(hits, 1);
        let hit = self.rebuild.select(concerns, known, hit);
        let Some(element) = makes else {
            return (hit, handle);
        };
        let made = self.rebuild.constant(element as u64, 32);
        (hit, self.rebuild.select(concerns, made, handle))
    }

    /// Whether and where a key is found after update number `number`, of the same key when `concerns` holds. An update that
    /// fails, but not because the key is there, leaves a map without the key, so that only the hit needs its result: the
    /// choice between the old element and the new one does not, and stores in the old one can be committed before it.
    fn after_update(
        &mut self,
        map: MapId,
        number: usize,
        wants: Wants,
        (same, concerns): (Option<Value>, Option<Value>),
        (hit, handle): (Value, Value),
        made: Value,
    ) -> (Value, Value) {
        let missed = self.rebuild.op(Op::Not, vec![hit], 1);
        let makes = match wants {
            Wants::Nothing => return (hit, handle),
            Wants::Any | Wants::Key => concerns,
            Wants::NoKey => self.rebuild.and(concerns, Some(missed)),
            Wants::AsBits(may) => {
                let replaces = self.rebuild.slice(may, 1, 1);
                let makes = self.rebuild.or(Some(missed), Some(replaces));
                self.rebuild.and(concerns, makes)
            }
        };
        let handle = self.rebuild.select(makes, made, handle);
        if wants == Wants::Key {
            return (hit, handle);
        }
        let done = self.done(map, number);
        let put = self.rebuild.and(same, Some(done)).unwrap_or(done);
        let hit = self.rebuild.op(Op::Or, vec![hit, put], 1);
        (hit, handle)
    }

    /// What an update of a key that is there answers. `may`: the bits of a [`May`].
    pub fn answer_for_known(&mut self, may: Value) -> Value {
        let [done, exists, refused] = [Answer::Done, Answer::Exists, Answer::Refused]
            .map(|answer| self.rebuild.constant(answer.code().into(), Answer::BITS));
        let [creates, replaces] = [0, 1].map(|bit| self.rebuild.slice(may, bit, 1));
        let kept = self.rebuild.select(Some(creates), exists, refused);
        self.rebuild.select(Some(replaces), done, kept)
    }

    /// The condition that an update happened and succeeded.
    fn done(&mut self, map: MapId, number: usize) -> Value {
        let change = &self.maps[&map].changes[number];
        if let Some(done) = change.done {
            return done;
        }
        let (inst, guard) = (change.inst, change.guard);
        let answer = self.rebuild.program.insts[inst].results[0];
        let zero = self
            .rebuild
            .constant(Answer::Done.code().into(), Answer::BITS);
        let fine = self.rebuild.op(Op::Eq, vec![answer, zero], 1);
        let done = self.rebuild.and(Some(fine), guard).unwrap_or(fine);
        self.state(map).changes[number].done = Some(done);
        done
    }

    /// An update or delete of a map with keys.
    pub fn change(&mut self, map: MapId, inst: Inst, data: &InstData) {
        self.rebuild.keep(inst);
        let kept = &self.rebuild.program.insts[inst];
        let (key, guard) = (kept.args[0], kept.guard);
        let value = matches!(data.op, Op::MapUpdate(_)).then(|| kept.args[1]);
        let program = &*self.rebuild.program;
        // Keys that differ behind their prefix are the same one, so they cannot be compared.
        let by_prefix = program.maps[map].is_prefix();
        let may = value.filter(|_| !by_prefix).map(|_| kept.args[2]);
        let known = |may: Value| Some(May::from_bits(program.as_const(may)?.as_u64()? as u32));
        let wants = may.map(|may| match known(may) {
            Some(May::PUT) => Wants::Any,
            Some(May::CREATE) => Wants::NoKey,
            Some(May::REPLACE) => Wants::Key,
            Some(_) => Wants::Nothing,
            None => Wants::AsBits(may),
        });
        let state = self.state(map);
        let makes = value.map(|value| {
            state.elements.push(Element {
                origin: Origin::Made(state.changes.len()),
                word: Some(value),
                written: None,
                writer: None,
            });
            state.elements.len() - 1
        });
        state.changes.push(Change {
            inst,
            key,
            guard,
            wants,
            makes,
            done: None,
        });
    }

    /// The elements that a number may mean.
    pub fn numbered(&mut self, map: MapId, number: Value) -> Vec<Choice> {
        let all = self.state(map).elements.len() as u64;
        let mut possible = BTreeSet::new();
        if !self.collect(number, &mut possible, &mut HashSet::new()) {
            possible = (0..all).collect();
        }
        possible.retain(|element| *element < all);
        if possible.len() == 1 {
            return possible
                .iter()
                .map(|place| (*place as usize, None))
                .collect();
        }
        let mut choices = Vec::new();
        let has_changes = !self.state(map).changes.is_empty();
        for place in possible {
            let is = match has_changes {
                true => self.is_element(number, place),
                false => {
                    let constant = self.rebuild.constant(place, 32);
                    self.rebuild.op(Op::Eq, vec![number, constant], 1)
                }
            };
            choices.push((place as usize, Some(is)));
        }
        choices
    }

    /// Where an update writes the old element instead of putting a new one in its place ([`hardpath_ir::MapDecl::in_place`]),
    /// a pointer from before the update means what the update made, when it succeeded. Later choices count.
    pub fn updated_in_place(&mut self, map: MapId, choices: Vec<Choice>) -> Vec<Choice> {
        let mut all = Vec::new();
        for (place, condition) in choices {
            all.push((place, condition));
            let Origin::Found(number) = self.maps[&map].elements[place].origin else {
                continue;
            };
            let lookup = &self.maps[&map].lookups[number];
            let (found, key) = (lookup.inst, lookup.key);
            let hit = self.rebuild.program.insts[found].results[0];
            for change in 0..self.maps[&map].changes.len() {
                let other = &self.maps[&map].changes[change];
                let (inst, guard, made) = (other.inst, other.guard, other.makes);
                let program = &*self.rebuild.program;
                let apart = guard.is_some_and(|guard| are_disjoint(program, guard, hit));
                let (Some(made), false) = (made, apart) else {
                    continue;
                };
                let other = other.key;
                let Some(same) = self.same_key(other, key) else {
                    continue;
                };
                // The key is there.
                let may = self.rebuild.program.insts[inst].args[2];
                let replaces = self.rebuild.slice(may, 1, 1);
                let mut concerns = self.rebuild.and(same, guard);
                for term in [hit, replaces] {
                    concerns = self.rebuild.and(concerns, Some(term));
                }
                all.push((made, self.rebuild.and(condition, concerns)));
            }
        }
        all
    }

    /// Adds the constants that a choice chooses among; gives whether that is all that it can be.
    fn collect(&self, value: Value, all: &mut BTreeSet<u64>, seen: &mut HashSet<Value>) -> bool {
        if !seen.insert(value) {
            return true;
        }
        let program = &*self.rebuild.program;
        if let Some(bits) = program.as_const(value) {
            return match bits.as_u64() {
                Some(number) => {
                    all.insert(number);
                    true
                }
                None => false,
            };
        }
        let Some(data) = program.def_inst(value) else {
            return false;
        };
        match data.op {
            Op::Select => {
                self.collect(data.args[1], all, seen) && self.collect(data.args[2], all, seen)
            }
            // Several values behind masks of which one is set.
            Op::Or => data.args.iter().all(|arg| self.collect(*arg, all, seen)),
            Op::And => {
                all.insert(0);
                let is_mask = |arg: &Value| {
                    program
                        .def_inst(*arg)
                        .is_some_and(|mask| mask.op == Op::SExt && program.width(mask.args[0]) == 1)
                };
                let mut others = data.args.iter().filter(|arg| !is_mask(arg));
                match (others.next(), others.next()) {
                    (Some(other), None) => self.collect(*other, all, seen),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Gives an update the value that its element has in the end. The value only counts when the update succeeds, so
    /// what follows from its success is taken as given.
    pub fn last_value(&mut self, map: MapId, change: usize, word: Value) {
        let inst = self.maps[&map].changes[change].inst;
        let answer = self.rebuild.program.insts[inst].results[0];
        let needed = self.needed(&[word]);
        let done = self
            .rebuild
            .constant(Answer::Done.code().into(), Answer::BITS);
        let known = HashMap::from([(answer, done)]);
        let given = self.given(&needed, known);
        let value = *given.get(&word).unwrap_or(&word);
        self.rebuild.program.insts[inst].args[1] = value;
    }
}
