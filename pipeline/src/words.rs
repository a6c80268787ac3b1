//! Map accesses become whole words: one load at the front, one store at the end.
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
//! A packet's own later reads are forwarded from its own pending writes here, as values; what is left for the
//! hardware is one read of each entry and one write at the commit stage. For hash maps the entry comes from the one
//! lookup of the key; an update or delete stays what it is and is committed with the same key. A store through a
//! pointer whose element an update of the same packet replaced vanishes, as in the kernel, also when it is moved
//! behind the update: the commit prefers the update's value. A store through a pointer to a deleted element goes to a
//! slot that nobody looks at until something is inserted there.
//!
//! After this pass a map has: lookups (hash and device maps), loads at offset 0 of the whole value, one for each
//! entry, and at most one store of the whole value; at most one update and one delete. What cannot be brought to
//! this form is refused.

use crate::refuse::refusal;
use crate::region::Rebuild;
use hardpath_ir::{AtomicOp, Bits, Diagnostic, Inst, InstData, MapId, Op, Program, Value};
use hardpath_passes::are_disjoint;
use std::collections::HashMap;

/// Runs the pass. The program is in the dataflow phase.
///
/// # Errors
/// Accesses that need more than one commit, or that need a packet's own update before it is committed.
pub fn map_words(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    let (rebuild, old) = Rebuild::start(program);
    let mut words = Words {
        rebuild,
        maps: HashMap::new(),
        errors: Vec::new(),
    };
    for inst in old {
        words.lower(inst);
    }
    words.store_back();
    let errors = words.errors;
    words.rebuild.finish();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// One entry of a map, as the packet sees it at this point of its program.
struct Entry {
    /// The entry's number or handle.
    number: Value,
    /// The word as it was loaded, and as it is now.
    word: Value,
    /// The condition under which it was written; absent: not written.
    written: Option<Option<Value>>,
    /// The last instruction that wrote it.
    writer: Option<Inst>,
}

#[derive(Default)]
struct MapState {
    entries: Vec<Entry>,
    /// The lookups so far: key, its first lookup.
    lookups: Vec<(Value, Inst)>,
    update: Option<Inst>,
    delete: Option<Inst>,
}

struct Words<'a> {
    rebuild: Rebuild<'a>,
    maps: HashMap<MapId, MapState>,
    errors: Vec<Diagnostic>,
}

impl Words<'_> {
    fn lower(&mut self, inst: Inst) {
        let data = self.rebuild.program.insts[inst].clone();
        let Some(map) = data.op.map() else {
            self.rebuild.keep(inst);
            return;
        };
        let indexed = self.rebuild.program.maps[map].kind.is_array();
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
                // array_map_delete_elem in kernel/bpf/arraymap.c.
                let einval = self.rebuild.constant(-22i64 as u64, 64);
                self.rebuild.rename(data.results[0], einval);
            }
            _ => self.structural(map, inst, &data),
        }
    }

    fn guard(&self, data: &InstData) -> Option<Value> {
        data.guard.map(|guard| self.rebuild.now(guard))
    }

    fn lookup(&mut self, map: MapId, inst: Inst, data: &InstData) {
        let key = self.rebuild.now(data.args[0]);
        let guard = self.guard(data);
        let state = self.maps.entry(map).or_default();
        let changes = [state.update, state.delete].into_iter().flatten();
        let program = &*self.rebuild.program;
        let mut guards = changes.map(|change| program.insts[change].guard);
        let apart = |other: Option<Value>| matches!((other, guard), (Some(a), Some(b)) if are_disjoint(program, a, b));
        if !guards.all(apart) {
            self.errors.push(refusal(
                self.rebuild.program,
                inst,
                "lookup-after-update",
                format!(
                    "map {} is looked up again after this packet updated or deleted an entry of it",
                    self.rebuild.program.maps[map].name
                ),
                "use the value that was given to the update instead of looking it up again",
            ));
        }
        if let Some((_, first)) = state.lookups.iter().find(|(other, _)| *other == key) {
            let first = *first;
            if self.rebuild.program.insts[first].guard != guard {
                self.rebuild.program.insts[first].guard = None;
            }
            let results = self.rebuild.program.insts[first].results.clone();
            for (old, new) in data.results.iter().zip(results) {
                self.rebuild.rename(*old, new);
            }
            return;
        }
        state.lookups.push((key, inst));
        self.rebuild.keep(inst);
    }

    /// The place of an entry in the map's list, loading it when it is new.
    fn entry(&mut self, map: MapId, number: Value) -> usize {
        let state = self.maps.entry(map).or_default();
        let same = |other: Value, program: &Program| {
            other == number
                || matches!((program.as_const(other), program.as_const(number)), (Some(a), Some(b)) if a == b)
        };
        if let Some(place) = state
            .entries
            .iter()
            .position(|entry| same(entry.number, self.rebuild.program))
        {
            return place;
        }
        let bits = self.rebuild.program.maps[map].value_bytes * 8;
        let zero = self.rebuild.constant(0, 32);
        let load = self
            .rebuild
            .push(Op::MapLoad(map), vec![number, zero], &[bits], None, None);
        let mut word = self.rebuild.program.insts[load].results[0];
        let name = format!("{}_word", self.rebuild.program.maps[map].name);
        self.rebuild.program.values[word].name = Some(name);
        // Another entry may be the same one: then its pending write is what is read here.
        let others: Vec<(Value, Value, Option<Value>)> = self.maps[&map]
            .entries
            .iter()
            .filter_map(|other| other.written.map(|guard| (other.number, other.word, guard)))
            .collect();
        for (other, pending, guard) in others {
            let same = self.rebuild.op(Op::Eq, vec![other, number], 1);
            let hit = self.rebuild.and(Some(same), guard);
            word = self.rebuild.select(hit, pending, word);
        }
        let state = self.maps.get_mut(&map).expect("made above");
        state.entries.push(Entry {
            number,
            word,
            written: None,
            writer: None,
        });
        state.entries.len() - 1
    }

    fn load(&mut self, map: MapId, data: &InstData) -> Value {
        let number = self.rebuild.now(data.args[0]);
        let place = self.entry(map, number);
        let word = self.maps[&map].entries[place].word;
        let width = self.rebuild.width(data.results[0]);
        self.part(word, data.args[1], width)
    }

    /// `width` bits of a word from a byte offset; 0 behind its end.
    fn part(&mut self, word: Value, offset: Value, width: u32) -> Value {
        let offset = self.rebuild.now(offset);
        let word_bits = self.rebuild.width(word);
        match self.constant_offset(offset) {
            Some(bytes) if bytes * 8 + u64::from(width) <= u64::from(word_bits) => {
                self.rebuild.slice(word, bytes as u32 * 8, width)
            }
            _ => {
                let bits = self.bit_offset(offset);
                let shifted = self.rebuild.op(Op::LShr, vec![word, bits], word_bits);
                self.rebuild.resize(shifted, width)
            }
        }
    }

    fn constant_offset(&self, offset: Value) -> Option<u64> {
        self.rebuild.program.as_const(offset).and_then(Bits::as_u64)
    }

    /// A byte offset as a number of bits, 35 bits wide: it cannot overflow.
    fn bit_offset(&mut self, offset: Value) -> Value {
        let zeros = self.rebuild.constant(0, 3);
        self.rebuild.op(Op::Concat, vec![offset, zeros], 35)
    }

    fn store(
        &mut self,
        map: MapId,
        inst: Inst,
        data: &InstData,
        value: Value,
        guard: Option<Value>,
    ) {
        let number = self.rebuild.now(data.args[0]);
        let place = self.entry(map, number);
        let word = self.maps[&map].entries[place].word;
        let inserted = self.inserted(word, data.args[1], value);
        let new = self.rebuild.select(guard, inserted, word);
        let written = match self.maps[&map].entries[place].written {
            None => guard,
            Some(before) => self.rebuild.or(before, guard),
        };
        let entry = &mut self.maps.get_mut(&map).expect("entered").entries[place];
        entry.word = new;
        entry.written = Some(written);
        entry.writer = Some(inst);
    }

    /// A word with some of its bytes replaced.
    fn inserted(&mut self, word: Value, offset: Value, value: Value) -> Value {
        let offset = self.rebuild.now(offset);
        let word_bits = self.rebuild.width(word);
        let width = self.rebuild.width(value);
        match self.constant_offset(offset) {
            Some(bytes) if bytes * 8 + u64::from(width) <= u64::from(word_bits) => {
                let lo = bytes as u32 * 8;
                let mut parts = Vec::new();
                if lo + width < word_bits {
                    parts.push(self.rebuild.slice(word, lo + width, word_bits - lo - width));
                }
                parts.push(value);
                if lo > 0 {
                    parts.push(self.rebuild.slice(word, 0, lo));
                }
                if parts.len() == 1 {
                    return value;
                }
                self.rebuild.op(Op::Concat, parts, word_bits)
            }
            _ => {
                let bits = self.bit_offset(offset);
                let ones = self
                    .rebuild
                    .program
                    .append_const(self.rebuild.program.region(), Bits::ones(width));
                let ones = self.rebuild.resize(ones, word_bits);
                let value = self.rebuild.resize(value, word_bits);
                let mask = self.rebuild.op(Op::Shl, vec![ones, bits], word_bits);
                let value = self.rebuild.op(Op::Shl, vec![value, bits], word_bits);
                let keep = self.rebuild.op(Op::Not, vec![mask], word_bits);
                let kept = self.rebuild.op(Op::And, vec![word, keep], word_bits);
                self.rebuild.op(Op::Or, vec![kept, value], word_bits)
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

    /// `bpf_map_update_elem` on an array: a store of the whole value (array_map_update_elem).
    fn update_indexed(&mut self, map: MapId, inst: Inst, data: &InstData) {
        let key = self.rebuild.now(data.args[0]);
        let value = self.rebuild.now(data.args[1]);
        let flags = self.rebuild.now(data.args[2]);
        let entries = u64::from(self.rebuild.program.maps[map].max_entries);
        let limit = self.rebuild.constant(entries, 32);
        let inside = self.rebuild.op(Op::Ult, vec![key, limit], 1);
        let mut result = self.rebuild.constant(0, 64);
        // In the order in which the kernel looks: unknown flags, the index, BPF_NOEXIST, BPF_F_LOCK without a lock.
        let lock = self.rebuild.constant(4, 64);
        let not_lock = self.rebuild.constant(!4, 64);
        let two = self.rebuild.constant(2, 64);
        let others = self.rebuild.op(Op::And, vec![flags, not_lock], 64);
        let unknown = self.rebuild.op(Op::Ult, vec![two, others], 1);
        let outside = self.rebuild.op(Op::Not, vec![inside], 1);
        let no_exist = self.rebuild.slice(flags, 0, 1);
        let locked = self.rebuild.op(Op::And, vec![flags, lock], 64);
        let locked = self.rebuild.op(Op::Eq, vec![locked, lock], 1);
        for (condition, errno) in [(locked, 22i64), (no_exist, 17), (outside, 7), (unknown, 22)] {
            let code = self.rebuild.constant(-errno as u64, 64);
            result = self.rebuild.select(Some(condition), code, result);
        }
        let zero = self.rebuild.constant(0, 64);
        let fine = self.rebuild.op(Op::Eq, vec![result, zero], 1);
        let guard = self.rebuild.and(self.guard(data), Some(fine));
        let offset = self.rebuild.constant(0, 32);
        let access = InstData {
            args: vec![key, offset],
            ..data.clone()
        };
        self.store(map, inst, &access, value, guard);
        self.rebuild.rename(data.results[0], result);
    }

    /// An update or delete of a hash map.
    fn structural(&mut self, map: MapId, inst: Inst, data: &InstData) {
        let name = self.rebuild.program.maps[map].name.clone();
        let is_update = matches!(data.op, Op::MapUpdate(_));
        let state = self.maps.entry(map).or_default();
        let slot = if is_update {
            &mut state.update
        } else {
            &mut state.delete
        };
        if slot.is_some() {
            self.errors.push(refusal(
                self.rebuild.program,
                inst,
                "several-writes",
                format!("one packet may update or delete entries of map {name} twice"),
                "make one call at one place, with the key or value chosen before",
            ));
        }
        *slot = Some(inst);
        self.rebuild.keep(inst);
    }

    /// Appends the stores.
    fn store_back(&mut self) {
        let mut maps: Vec<MapId> = self.maps.keys().copied().collect();
        maps.sort();
        for map in maps {
            let state = &self.maps[&map];
            let written: Vec<(Value, Value, Option<Value>, Inst)> = state
                .entries
                .iter()
                .filter_map(|entry| {
                    let guard = entry.written?;
                    Some((entry.number, entry.word, guard, entry.writer?))
                })
                .collect();
            if let Some((_, _, _, second)) = written.get(1) {
                self.errors.push(refusal(
                    self.rebuild.program,
                    *second,
                    "several-writes",
                    format!(
                        "one packet may write {} entries of map {}",
                        written.len(),
                        self.rebuild.program.maps[map].name
                    ),
                    "put the values that one packet writes into one entry (a struct), or into maps of their own",
                ));
            }
            if let Some((number, word, guard, writer)) = written.first() {
                let place = self.rebuild.program.insts[*writer].place;
                let zero = self.rebuild.constant(0, 32);
                self.rebuild.push(
                    Op::MapStore(map),
                    vec![*number, zero, *word],
                    &[],
                    *guard,
                    place,
                );
            }
        }
    }
}
