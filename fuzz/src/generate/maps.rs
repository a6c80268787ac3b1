//! Maps: lookups with their null checks, what is done to values, updates and deletes.

use super::state::{Holds, ValuePointer, STACK};
use super::Generator;
use crate::encode::{self, helper, Operand};
use hardpath_ebpf::{MapRefKind, ObjectMap};
use hardpath_ir::maps::Entries;

/// `enum bpf_map_type` in the kernel's `include/uapi/linux/bpf.h`.
pub mod kind {
    pub const HASH: u32 = 1;
    pub const ARRAY: u32 = 2;
    pub const PROG_ARRAY: u32 = 3;
    pub const PERF_EVENT_ARRAY: u32 = 4;
    pub const PERCPU_HASH: u32 = 5;
    pub const PERCPU_ARRAY: u32 = 6;
    pub const LRU_HASH: u32 = 9;
    pub const LRU_PERCPU_HASH: u32 = 10;
    pub const LPM_TRIE: u32 = 11;
    pub const DEVMAP: u32 = 14;
    pub const CPUMAP: u32 = 16;
    pub const XSKMAP: u32 = 17;
    pub const DEVMAP_HASH: u32 = 25;
    pub const RINGBUF: u32 = 27;
}

/// Where keys for helpers are put, from the stack's end; values stand below them.
pub const KEYS: i16 = -160;
/// Bytes of the longest key: those up to the machines' stack.
const LONGEST_KEY: u32 = 40;

/// Where a value for a helper is put.
fn values(bytes: i16) -> i16 {
    KEYS - (bytes + 7) / 8 * 8
}

/// How often a map was used so far, on any path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    pub lookups: u32,
    /// Updates and deletes.
    pub changes: u32,
}

impl Generator {
    pub(super) fn declare_maps(&mut self) {
        self.wild_maps = self.random.percent(20);
        for number in 0..self.random.between(1, 3) {
            let map_type = self.random.one_of([
                kind::ARRAY,
                kind::ARRAY,
                kind::ARRAY,
                kind::PERCPU_ARRAY,
                kind::PERCPU_ARRAY,
                kind::HASH,
                kind::HASH,
                kind::HASH,
                kind::HASH,
                kind::PERCPU_HASH,
                kind::LRU_HASH,
                kind::LPM_TRIE,
                kind::LPM_TRIE,
                kind::LPM_TRIE,
                kind::DEVMAP,
                kind::DEVMAP_HASH,
                kind::CPUMAP,
                kind::XSKMAP,
            ]);
            let values = self.random.one_of([1, 4, 8, 8, 12, 16, 24, 40, 64, 96]);
            let (key_bytes, value_bytes, max_entries) = match map_type {
                kind::HASH | kind::PERCPU_HASH => (
                    self.random
                        .one_of([1, 2, 4, 4, 8, 6, 13, 16, 20, 36, LONGEST_KEY]),
                    values,
                    self.random.one_of([1, 3, 8, 16, 64, 3000]),
                ),
                // Small ones come to forget keys.
                kind::LRU_HASH => (
                    self.random.one_of([2, 4, 8, 20]),
                    values,
                    self.random.one_of([4, 8, 1024]),
                ),
                // A prefix length, and up to 32 bits.
                kind::LPM_TRIE => (self.random.one_of([5, 6, 8, 8]), values, 64),
                kind::CPUMAP => (4, 4, self.random.one_of([1, 4])),
                kind::XSKMAP => (4, 4, self.random.one_of([1, 4, 8])),
                kind::DEVMAP | kind::DEVMAP_HASH => {
                    (4, self.random.one_of([4, 8]), self.random.one_of([1, 4, 8]))
                }
                _ => (
                    4,
                    self.random.one_of([1, 4, 8, 8, 16, 20, 40]),
                    self.random.one_of([1, 1, 2, 5, 8, 16, 5000]),
                ),
            };
            let map = ObjectMap {
                name: format!("map{number}"),
                map_type,
                key_bytes,
                value_bytes,
                max_entries,
                // BPF_F_NO_PREALLOC: the kernel has no other tries.
                flags: u32::from(map_type == kind::LPM_TRIE),
                lock_offset: None,
                initial: None,
                read_only: false,
            };
            // Routes are the host's: a trie without any finds nothing.
            if is_target(map_type) || map_type == kind::LPM_TRIE || self.random.percent(40) {
                self.fill_map(&map);
            }
            self.maps.push(map);
            self.map_uses.push(Uses::default());
        }
    }

    /// First contents.
    pub(super) fn fill_map(&mut self, map: &ObjectMap) {
        let mut entries = Entries::new();
        // Now and then a table is full, so that keys stand in every place.
        let is_hash = map.kind().is_some_and(|kind| kind.is_hash());
        let is_full = is_hash && !is_target(map.map_type) && self.random.percent(35);
        let count = match map.map_type {
            kind::LPM_TRIE => self.random.between(4, 24),
            _ if is_full => map.max_entries.min(200) as usize,
            _ => self.random.between(1, 16),
        };
        for _ in 0..count {
            let index = self.random.below(map.max_entries as usize) as u32;
            let key = match map.map_type {
                // Every machine has a first CPU.
                kind::CPUMAP => vec![0; 4],
                kind::LPM_TRIE => self.small_prefix(map.key_bytes),
                kind::ARRAY | kind::PERCPU_ARRAY | kind::DEVMAP | kind::XSKMAP => {
                    index.to_le_bytes().to_vec()
                }
                _ if is_full => self.any_key(map.key_bytes),
                _ => self.small_key(map.key_bytes),
            };
            let value = match map.map_type {
                kind::CPUMAP => 16u32.to_le_bytes().to_vec(),
                // Of a socket map: the number of a socket.
                kind::DEVMAP | kind::DEVMAP_HASH | kind::XSKMAP => {
                    let mut value = (self.random.between(1, 6) as u32).to_le_bytes().to_vec();
                    value.resize(map.value_bytes as usize, 0);
                    value
                }
                _ => (0..map.value_bytes).map(|_| self.random.byte()).collect(),
            };
            let is_new = !entries.contains_key(&key);
            if entries.len() < map.max_entries as usize || !is_new {
                entries.insert(key, value);
            }
        }
        self.image.insert(map.name.clone(), entries);
    }

    /// A key of zeros but for one small byte, or one in each of the first two words: what masked numbers give, too. Now and then it
    /// has a bit more, which programs whose keys have the same bits there never ask for.
    fn small_key(&mut self, bytes: u32) -> Vec<u8> {
        let mut key = vec![0; bytes as usize];
        key[0] = self.random.below(8) as u8;
        if bytes >= 8 && self.random.percent(50) {
            key[4] = self.random.below(8) as u8;
        }
        if self.random.percent(15) {
            let at = self.random.below(bytes as usize);
            key[at] ^= 1 << self.random.below(8);
        }
        key
    }

    /// One of the keys that machines make of a whole byte.
    fn any_key(&mut self, bytes: u32) -> Vec<u8> {
        let mut key = vec![0; bytes as usize];
        key[0] = self.random.byte();
        key
    }

    /// A prefix of few bits that differ.
    fn small_prefix(&mut self, bytes: u32) -> Vec<u8> {
        let mut key = vec![0; bytes as usize];
        key[0] = self.random.between(0, 8 * (bytes as usize - 4)) as u8;
        key[4] = self.random.below(8) as u8 * self.random.one_of([1, 32]);
        key
    }

    pub(super) fn map_statement(&mut self, depth: u32) {
        // State machines mostly have their maps for themselves.
        let others: Vec<usize> = (0..self.maps.len())
            .filter(|map| !self.machine_maps.contains(map) && !self.apart.contains(map))
            .collect();
        let map = match self.random.pick(&others) {
            Some(map) => map,
            None if self.random.percent(20) => match self.random.pick(&self.machine_maps.clone()) {
                Some(map) => map,
                None => return,
            },
            None => return,
        };
        let map_type = self.maps[map].map_type;
        let use_pointer = self.value_pointers();
        if !use_pointer.is_empty() && self.random.percent(55) {
            return self.use_value();
        }
        if !self.keep_context() {
            return;
        }
        match map_type {
            _ if is_target(map_type) => return self.redirect_map(map),
            kind::ARRAY if self.maps[map].max_entries == 1 && self.random.percent(40) => {
                return self.global_data(map);
            }
            _ => {}
        }
        let weights = match map_type {
            kind::ARRAY | kind::PERCPU_ARRAY => [88, 9, 3],
            // Routes are the host's, nearly always.
            kind::LPM_TRIE => [98, 1, 1],
            _ => [60, 28, 12],
        };
        let operation = self.random.weighted(&weights);
        let uses = self.map_uses[map];
        let is_usual = match operation {
            0 => uses.lookups == 0 && uses.changes == 0,
            _ => uses.changes == 0,
        };
        if !is_usual && !self.wild_maps && self.random.percent(95) {
            return;
        }
        match operation {
            0 => {
                self.map_uses[map].lookups += 1;
                self.lookup(map, depth);
            }
            1 => {
                self.map_uses[map].changes += 1;
                self.update(map);
            }
            _ => {
                self.map_uses[map].changes += 1;
                self.delete(map);
            }
        }
    }

    /// Puts a key on the stack: few different ones, mostly.
    fn key_on_stack(&mut self, map: usize) -> bool {
        let bytes = self.maps[map].key_bytes as i16;
        let entries = self.maps[map].max_entries;
        let is_array = (self.maps[map].kind()).is_some_and(|kind| kind.is_array());
        if !self.may_clear(KEYS, (bytes + 7) / 8 * 8) {
            return false;
        }
        let first = bytes.min(8);
        let first = if first.count_ones() == 1 { first } else { 4 };
        for place in (0..bytes).step_by(first as usize) {
            let size = if bytes - place >= first { first } else { 1 };
            for byte in (place..bytes.min(place + first)).step_by(size as usize) {
                self.emit(encode::store(
                    10,
                    KEYS + byte,
                    size as u32,
                    Operand::Number(0),
                ));
                self.state.write_stack(KEYS + byte, size, false);
            }
        }
        let number = match self.random.weighted(&[30, 50, 15, 5]) {
            0 => Operand::Number(self.random.below(entries.min(8) as usize) as i32),
            1 => {
                let mask = match is_array {
                    false if entries > 1024 => self.random.one_of([7, 0xff, 0xfff]),
                    false => self.random.one_of([3, 7, 7, 15, 0xff]),
                    true => entries.next_power_of_two() as i32 - 1,
                };
                Operand::Register(self.masked_number(mask, &[]))
            }
            2 => Operand::Register(self.number()),
            _ => Operand::Number(self.random.interesting() as i32),
        };
        let varied = self.is_varied(number);
        if self.maps[map].map_type == kind::LPM_TRIE {
            self.emit(encode::store(10, KEYS + 4, 1, number));
            self.state.write_stack(KEYS + 4, 1, varied);
            let most = 8 * (bytes as usize - 4);
            let bits = match self.random.weighted(&[60, 35, 5]) {
                0 => most,
                1 => self.random.between(0, most),
                _ => most + 1,
            };
            let bits = Operand::Number(bits as i32);
            self.emit(encode::store(10, KEYS, 4, bits));
            self.state.write_stack(KEYS, 4, false);
            return true;
        }
        self.emit(encode::store(10, KEYS, first as u32, number));
        self.state.write_stack(KEYS, first, varied);
        true
    }

    /// Whether helpers' keys and values may be put there.
    fn may_clear(&self, place: i16, bytes: i16) -> bool {
        // Pointers are never kept so far down.
        place >= -STACK && self.state.is_readable(place, bytes)
    }

    pub(super) fn stack_argument(&mut self, register: u8, place: i16) {
        self.emit(encode::mov(register, 10));
        self.emit(encode::alu(
            encode::ADD,
            true,
            register,
            Operand::Number(i32::from(place)),
        ));
        self.set(register, Holds::Stack(place));
    }

    /// Puts a key somewhere and lets `r2` point to it: mostly on the stack, else where bytes stand that are long enough, in the
    /// packet or in a value.
    fn key_argument(&mut self, map: usize) -> bool {
        let bytes = self.maps[map].key_bytes;
        if self.random.percent(30) {
            let base = match self.random.percent(50) {
                true => self.place_in_packet(bytes),
                false => self.place_in_value(bytes),
            };
            if let Some((base, distance)) = base {
                if base != 2 {
                    self.copy(2, base);
                }
                let distance = Operand::Number(distance.into());
                self.emit(encode::alu(encode::ADD, true, 2, distance));
                self.set(2, Holds::Nothing);
                return true;
            }
        }
        if !self.key_on_stack(map) {
            return false;
        }
        self.stack_argument(2, KEYS);
        true
    }

    /// A pointer to a value and a distance behind which so many bytes of it stand.
    fn place_in_value(&mut self, bytes: u32) -> Option<(u8, i16)> {
        let mut usable = self.value_pointers();
        usable.retain(|(_, known)| !known.deleted && self.maps[known.map].value_bytes >= bytes);
        // A program must not look at a lock.
        usable.retain(|(_, known)| self.maps[known.map].lock_offset.is_none());
        let (pointer, known) = self.random.pick(&usable)?;
        let room = self.maps[known.map].value_bytes - bytes;
        Some((pointer, self.random.below(room as usize + 1) as i16))
    }

    fn lookup(&mut self, map: usize, depth: u32) {
        if !self.key_argument(map) {
            return;
        }
        self.emit_map(1, map, MapRefKind::Fd);
        let lookup = self.next_lookup;
        self.next_lookup += 1;
        let pointer = ValuePointer {
            map,
            lookup,
            unchecked: true,
            age: 0,
            deleted: false,
        };
        self.call(helper::MAP_LOOKUP_ELEM, Holds::Value(pointer));
        if self.random.percent(60) {
            let home = self.random.between(6, 9) as u8;
            let is_context = self.holds(home) == Holds::Context;
            if !is_context {
                self.copy(home, 0);
            }
        }
        self.null_check(lookup, depth);
    }

    fn null_check(&mut self, lookup: u32, depth: u32) {
        self.branches = self.branches.saturating_sub(1);
        let holders = self.state.registers_with(
            |holds| matches!(holds, Holds::Value(pointer) if pointer.lookup == lookup),
        );
        let Some(register) = self.random.pick(&holders) else {
            return;
        };
        let missed = self.label();
        if self.random.percent(70) {
            self.emit(encode::branch(
                encode::JEQ,
                true,
                register,
                Operand::Number(0),
            ));
            let found = self.state.clone();
            self.state.check_value(lookup, false);
            match self.random.pick(&self.open) {
                Some(label) if self.random.percent(40) => self.jumps_to(label),
                _ => self.jumps_to(missed),
            }
            self.state = found;
            self.state.check_value(lookup, true);
            self.use_value();
            self.change_below_pointers();
            let length = self.random.between(1, 6);
            if self.random.percent(40) {
                return self.two_ways(missed, length, depth);
            }
            self.one_way(missed, length, depth);
        } else {
            let found = self.label();
            self.emit(encode::branch(
                encode::JNE,
                true,
                register,
                Operand::Number(0),
            ));
            let before = self.state.clone();
            self.state.check_value(lookup, true);
            self.jumps_to(found);
            self.state = before;
            self.state.check_value(lookup, false);
            let length = self.random.between(1, 4);
            self.statements(length, depth + 1);
            match self.open.first().copied() {
                Some(label) if self.live && self.random.percent(50) => self.goto(label),
                _ if self.live => {
                    self.set_verdict();
                    self.leave_with_r0();
                }
                _ => {}
            }
            self.bind(found);
            self.use_value();
            self.change_below_pointers();
        }
    }

    fn value_pointers(&self) -> Vec<(u8, ValuePointer)> {
        (0..10)
            .filter_map(|register| match self.holds(register) {
                Holds::Value(pointer) if !pointer.unchecked => Some((register, pointer)),
                _ => None,
            })
            .collect()
    }

    /// Reads, changes or counts in a value.
    fn use_value(&mut self) {
        let pointers = self.value_pointers();
        let Some((pointer, known)) = self.random.pick(&pointers) else {
            return;
        };
        let size = self.maps[known.map].value_bytes as i16;
        let whole = size.min(8);
        let mut bytes = self.random.one_of([1, 2, 4, 4, 8, 8]);
        if bytes > whole {
            bytes = 1 << (15 - whole.leading_zeros());
        }
        let offset = match self.random.percent(85) {
            true => bytes * self.random.below((size / bytes) as usize) as i16,
            false => self.random.below((size - bytes + 1) as usize) as i16,
        };
        let size = bytes as u32;
        let operation = self.random.weighted(&[30, 14, 30, 26]);
        match operation {
            // Nobody may store there.
            _ if known.deleted || operation == 0 => {
                self.read_value(pointer, offset, size);
            }
            1 => {
                let source = self.stored_operand();
                if self.holds(pointer) == Holds::Value(known) {
                    self.emit(encode::store(pointer, offset, size, source));
                }
            }
            2 => self.read_modify_write(pointer, offset, size),
            _ => {
                let bytes = bytes.max(4);
                let end = self.maps[known.map].value_bytes as i16;
                if end < bytes {
                    return;
                }
                let offset = offset / bytes * bytes;
                let offset = offset.min((end - bytes) / bytes * bytes);
                let op = match self.random.percent(70) {
                    true => encode::ATOMIC_ADD,
                    false => self.random.one_of(encode::ATOMICS),
                };
                let src = self.number();
                if self.holds(pointer) != Holds::Value(known) {
                    return;
                }
                self.emit_atomic(op, pointer, offset, bytes as u32, src);
            }
        }
    }

    /// Changes the map of a pointer, and uses the pointer then, which may have no right answer any more.
    fn change_below_pointers(&mut self) {
        if !self.rare_uses {
            return;
        }
        let pointers = self.value_pointers();
        let outlive_calls = |(register, known): &&(u8, ValuePointer)| {
            let kind = self.maps[known.map].kind();
            *register >= 6 && kind.is_some_and(|kind| !kind.is_array())
        };
        let fitting = pointers.iter().filter(outlive_calls);
        let maps: Vec<usize> = fitting.map(|(_, known)| known.map).collect();
        let Some(map) = self.random.pick(&maps) else {
            return;
        };
        if !self.random.percent(60) || !self.keep_context() {
            return;
        }
        for _ in 0..self.random.between(1, 3) {
            match self.random.percent(65) {
                true => self.update(map),
                false => self.delete(map),
            }
        }
        if self.random.percent(30) {
            self.use_value();
        }
        let pointers = self.value_pointers();
        let Some((pointer, _)) = self.random.pick(&pointers) else {
            return;
        };
        // What is read decides on the verdict: loads that nobody looks at are no use.
        let read = self.read_value(pointer, 0, 1);
        let large = self.label();
        self.emit(encode::branch(
            encode::JGT,
            true,
            read,
            Operand::Number(127),
        ));
        self.jumps_to(large);
        self.set_number(0, 1);
        self.leave_with_r0();
        self.bind(large);
    }

    fn read_value(&mut self, pointer: u8, offset: i16, bytes: u32) -> u8 {
        let dst = self.free_register(&[pointer]);
        self.emit(encode::load(dst, pointer, offset, bytes));
        self.set_varied(dst, true);
        dst
    }

    /// `*value += n`, without an atomic.
    fn read_modify_write(&mut self, pointer: u8, offset: i16, bytes: u32) {
        let dst = self.free_register(&[pointer]);
        self.emit(encode::load(dst, pointer, offset, bytes));
        self.set_varied(dst, true);
        let op = self
            .random
            .one_of([encode::ADD, encode::ADD, encode::XOR, encode::SUB]);
        let numbers = self.state.registers_with(|holds| holds == Holds::Number);
        let operand = match self.random.pick(&numbers) {
            Some(register) if self.random.percent(50) => Operand::Register(register),
            _ => Operand::Number(1),
        };
        self.emit(encode::alu(op, true, dst, operand));
        self.emit(encode::store(
            pointer,
            offset,
            bytes,
            Operand::Register(dst),
        ));
    }

    /// An address in the only value of an array, as `.data` and `.bss` are used.
    fn global_data(&mut self, map: usize) {
        let dst = self.free_register(&[]);
        self.emit_map(dst, map, MapRefKind::Value { offset: 0 });
        let lookup = self.next_lookup;
        self.next_lookup += 1;
        self.set(
            dst,
            Holds::Value(ValuePointer {
                map,
                lookup,
                unchecked: false,
                age: 0,
                deleted: false,
            }),
        );
        self.use_value();
    }

    fn update(&mut self, map: usize) {
        let bytes = self.maps[map].value_bytes as i16;
        let values = values(bytes);
        if -values > self.most_stack || !self.may_clear(values, KEYS - values) {
            return;
        }
        let mut place = 0;
        while place < bytes {
            let size = match bytes - place {
                rest if rest >= 8 => 8,
                rest if rest >= 4 => 4,
                _ => 1,
            };
            let source = self.stored_operand();
            self.emit(encode::store(10, values + place, size as u32, source));
            let varied = self.is_varied(source);
            self.state.write_stack(values + place, size, varied);
            place += size;
        }
        if !self.key_argument(map) {
            return;
        }
        self.stack_argument(3, values);
        // 4 is BPF_F_LOCK.
        let flags = self.random.one_of([0, 0, 0, 0, 1, 2, 3, 4]);
        self.set_number(4, flags);
        self.emit_map(1, map, MapRefKind::Fd);
        self.call(helper::MAP_UPDATE_ELEM, Holds::Number);
        self.replaced(map, false);
    }

    fn delete(&mut self, map: usize) {
        if !self.key_argument(map) {
            return;
        }
        self.emit_map(1, map, MapRefKind::Fd);
        self.call(helper::MAP_DELETE_ELEM, Holds::Number);
        self.replaced(map, true);
    }

    /// An update or delete of the map changes what older pointers mean.
    pub(super) fn replaced(&mut self, map: usize, deleted: bool) {
        let is_array = (self.maps[map].kind()).is_some_and(|kind| kind.is_array());
        if !is_array {
            self.state.replace_element(map, deleted);
            if !self.rare_uses {
                self.state.forget_old_pointers();
            }
        }
    }

    fn redirect_map(&mut self, map: usize) {
        let mask = self.maps[map].max_entries as i32 - 1;
        if self.random.percent(60) {
            let number = self.masked_number(mask | 1, &[]);
            self.copy(2, number);
        } else {
            let key = self.random.below(mask as usize + 2) as i32;
            self.set_number(2, key);
        }
        let flags = self.random.one_of([0, 0, 1, 2, 3]);
        self.set_number(3, flags);
        self.emit_map(1, map, MapRefKind::Fd);
        self.call(helper::REDIRECT_MAP, Holds::Number);
        if self.random.percent(60) {
            self.leave_with_r0();
        }
    }
}

/// Whether maps of a type hold where packets go.
fn is_target(map_type: u32) -> bool {
    matches!(
        map_type,
        kind::DEVMAP | kind::DEVMAP_HASH | kind::CPUMAP | kind::XSKMAP
    )
}
