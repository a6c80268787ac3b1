//! The steps of machines.

use super::keys::KeyFrom;
use super::{FIRST, KEY, NEW_VALUE, OTHER, OTHER_KEY, SECOND, SUM, VALUE};
use crate::encode::{self, helper, Operand};
use crate::generate::state::{Holds, ValuePointer};
use crate::generate::{Generator, LabelId};
use hardpath_ebpf::MapRefKind;

impl Generator {
    /// One step; a path on which a helper fails may go to `fails`.
    pub(super) fn step(&mut self, fails: LabelId) {
        let map = self.machine_map(|_| true);
        let with_keys = self.machine_map(|has_keys| has_keys);
        match self.random.weighted(&[34, 14, 10, 12, 10, 12, 8]) {
            0 => self.track(map, fails),
            1 => self.expire(with_keys, fails),
            2 => self.bind_both_ways(with_keys, fails),
            3 => self.follow(with_keys, fails),
            4 => self.write_some(with_keys, fails),
            5 => self.count(map),
            _ => self.take_from_pool(with_keys, fails),
        }
        self.forget_scratch();
    }

    /// A map of the machine's; `wanted` says whether one with keys (or one without) will do.
    fn machine_map(&mut self, wanted: impl Fn(bool) -> bool) -> usize {
        let maps = &self.machine_maps;
        let has_keys = |map: &usize| self.maps[*map].kind().is_some_and(|kind| kind.is_hash());
        let fitting: Vec<usize> = (maps.iter().copied())
            .filter(|map| wanted(has_keys(map)))
            .collect();
        let any = self.machine_maps.first().copied().unwrap_or(0);
        self.random.pick(&fitting).unwrap_or(any)
    }

    /// Looks up a key on the stack; behind it `home` points to a value. The label is where a miss goes.
    fn find(&mut self, map: usize, key: i16, home: u8) -> LabelId {
        self.stack_argument(2, key);
        self.find_key(map, home)
    }

    /// The same for the key that `r2` points to.
    fn find_key(&mut self, map: usize, home: u8) -> LabelId {
        self.emit_map(1, map, MapRefKind::Fd);
        let lookup = self.next_lookup;
        self.next_lookup += 1;
        self.map_uses[map].lookups += 1;
        let pointer = ValuePointer {
            map,
            lookup,
            unchecked: true,
            age: 0,
            deleted: false,
        };
        self.call(helper::MAP_LOOKUP_ELEM, Holds::Value(pointer));
        self.copy(home, 0);
        let missed = self.label();
        self.emit(encode::branch(encode::JEQ, true, home, Operand::Number(0)));
        let found = self.state.clone();
        self.state.check_value(lookup, false);
        self.jumps_to(missed);
        self.state = found;
        self.state.check_value(lookup, true);
        missed
    }

    /// An update with some new value; what it returns is seen.
    fn put(&mut self, map: usize, key: i16, fails: LabelId) {
        let bytes = self.maps[map].value_bytes as i16;
        let mut place = 0;
        while place < bytes {
            let size = if bytes - place >= 8 { 8 } else { 4 };
            let source = match self.random.weighted(&[50, 15, 35]) {
                0 => {
                    let operand = self.some_operand();
                    self.load_operand(1, operand);
                    Operand::Register(1)
                }
                1 => Operand::Register(SUM),
                _ => Operand::Number(self.random.below(3) as i32),
            };
            self.emit(encode::store(10, NEW_VALUE + place, size as u32, source));
            self.state.write_stack(NEW_VALUE + place, size, true);
            place += size;
        }
        self.stack_argument(2, key);
        self.stack_argument(3, NEW_VALUE);
        // 4 is BPF_F_LOCK.
        let flags = match self.maps[map].lock_offset {
            Some(_) => self.random.one_of([0, 1, 2, 4, 4, 4, 5, 6]),
            None => self.random.one_of([0, 0, 0, 0, 1, 1, 2]),
        };
        self.set_number(4, flags);
        if self.rare_uses {
            self.vary_flags();
        }
        self.emit_map(1, map, MapRefKind::Fd);
        self.map_uses[map].changes += 1;
        self.call(helper::MAP_UPDATE_ELEM, Holds::Number);
        self.replaced(map, false);
        self.see_result(Some(fails));
    }

    /// Flags of an update that nobody knows before, in `r4`.
    fn vary_flags(&mut self) {
        if self.random.percent(40) {
            let operand = self.some_operand();
            self.load_operand(4, operand);
            let mask = Operand::Number(self.random.one_of([1, 2, 3, 3]));
            self.emit(encode::alu(encode::AND, true, 4, mask));
        }
    }

    fn remove(&mut self, map: usize, key: i16) {
        self.stack_argument(2, key);
        self.emit_map(1, map, MapRefKind::Fd);
        self.map_uses[map].changes += 1;
        self.call(helper::MAP_DELETE_ELEM, Holds::Number);
        self.replaced(map, true);
        self.see_result(None);
    }

    /// A flow's state is changed; a new flow is inserted, and often looked up again.
    fn track(&mut self, map: usize, fails: LabelId) {
        let from = self.usual_key();
        self.put_key(map, KEY, from);
        let missed = self.find(map, KEY, VALUE);
        self.change_value(VALUE, map);
        let end = self.label();
        let inserts = self.random.percent(65);
        if inserts {
            self.goto(end);
        }
        self.bind(missed);
        if inserts {
            if self.random.percent(30) {
                self.skip_some_inserts(end);
            }
            self.put(map, KEY, fails);
            if self.random.percent(35) {
                let again = self.find(map, KEY, OTHER);
                self.change_value(OTHER, map);
                self.bind(again);
            }
            self.bind(end);
        }
    }

    /// Not every packet inserts.
    fn skip_some_inserts(&mut self, end: LabelId) {
        let operand = self.some_operand();
        self.load_operand(1, operand);
        self.skip_on_condition(end);
    }

    /// An entry goes on a condition of its value, or is changed; a miss inserts.
    fn expire(&mut self, map: usize, fails: LabelId) {
        let from = self.usual_key();
        self.put_key(map, KEY, from);
        let missed = self.find(map, KEY, VALUE);
        let field = self.some_field(map);
        self.load_field(1, VALUE, field);
        self.see(1);
        let keeps = self.label();
        self.skip_on_condition(keeps);
        self.remove(map, KEY);
        let inserts_again = self.random.percent(25);
        if inserts_again {
            self.put(map, KEY, fails);
        }
        if self.rare_uses {
            let field = self.some_field(map);
            self.load_field(1, VALUE, field);
            self.see(1);
        }
        let end = self.label();
        self.goto(end);
        self.bind(keeps);
        if self.random.percent(70) {
            self.change_value(VALUE, map);
        }
        if self.random.percent(75) {
            self.goto(end);
            self.bind(missed);
            self.put(map, KEY, fails);
        } else {
            self.bind(missed);
        }
        self.bind(end);
    }

    /// A new flow and its reverse, as a NAT binds them.
    fn bind_both_ways(&mut self, map: usize, fails: LabelId) {
        let other = match self.random.percent(60) {
            true => map,
            false => self.machine_map(|has_keys| has_keys),
        };
        self.put_key(map, KEY, KeyFrom::Flow);
        let missed = self.find(map, KEY, VALUE);
        self.change_value(VALUE, map);
        let end = self.label();
        self.goto(end);
        self.bind(missed);
        self.put(map, KEY, fails);
        let from = self.random.one_of([
            KeyFrom::Reverse,
            KeyFrom::Reverse,
            KeyFrom::Second,
            KeyFrom::Sum,
        ]);
        self.put_key(other, OTHER_KEY, from);
        self.put(other, OTHER_KEY, fails);
        self.bind(end);
    }

    /// A value becomes the key of a second lookup; what it finds is changed, or put there.
    fn follow(&mut self, map: usize, fails: LabelId) {
        let next = match self.random.percent(40) {
            true => map,
            false => self.machine_map(|_| true),
        };
        let from = self.usual_key();
        self.put_key(map, KEY, from);
        let missed = self.find(map, KEY, VALUE);
        let field = self.some_field(map);
        self.load_field(1, VALUE, field);
        self.put_key(next, OTHER_KEY, KeyFrom::Number(1));
        // Now and then the value holds the whole key.
        let room = self.maps[map].value_bytes as i16 - field.offset;
        let in_value = self.maps[next].key_bytes as i16 <= room && self.random.percent(35);
        let nothing = match in_value {
            true => {
                self.copy(2, VALUE);
                let offset = Operand::Number(field.offset.into());
                self.emit(encode::alu(encode::ADD, true, 2, offset));
                self.find_key(next, OTHER)
            }
            false => self.find(next, OTHER_KEY, OTHER),
        };
        self.change_value(OTHER, next);
        let end = self.label();
        self.goto(end);
        self.bind(nothing);
        if self.random.percent(70) {
            self.put(next, OTHER_KEY, fails);
        }
        if self.random.percent(60) {
            self.goto(end);
            self.bind(missed);
            self.put(map, KEY, fails);
        } else {
            self.bind(missed);
        }
        self.bind(end);
    }

    /// Several writes of one packet, some of them on conditions.
    fn write_some(&mut self, map: usize, fails: LabelId) {
        for number in 0..self.random.between(2, 3) {
            let from = match number {
                0 => KeyFrom::First,
                1 => KeyFrom::Second,
                _ => self.usual_key(),
            };
            let skip = self.label();
            if self.random.percent(35) {
                self.skip_some_inserts(skip);
            }
            self.put_key(map, KEY, from);
            match self.random.weighted(&[60, 25, 15]) {
                0 => self.put(map, KEY, fails),
                1 => {
                    let missed = self.find(map, KEY, VALUE);
                    self.change_value(VALUE, map);
                    self.bind(missed);
                }
                _ => self.remove(map, KEY),
            }
            self.bind(skip);
        }
    }

    /// A counter in an array, with an atomic or without, at a constant index or at one of few.
    fn count(&mut self, map: usize) {
        let from = match self.random.percent(60) {
            true => KeyFrom::Constant(self.random.below(3) as i32),
            false => self.usual_key(),
        };
        self.put_key(map, KEY, from);
        let missed = self.find(map, KEY, VALUE);
        let field = self.some_field(map);
        let operand = self.random.one_of([FIRST, SECOND]);
        self.load_operand(1, operand);
        if field.bytes >= 4 && self.random.percent(60) {
            let op = match self.random.percent(60) {
                true => encode::ATOMIC_ADD,
                false => self.random.one_of(encode::ATOMICS),
            };
            self.set_number(0, 1);
            let bytes = field.bytes as u32;
            self.emit(encode::atomic(op, VALUE, field.offset, bytes, 1));
            self.set_varied(0, true);
            if op & encode::FETCH != 0 {
                self.see(if op == encode::ATOMIC_CMPXCHG { 0 } else { 1 });
            }
        } else {
            self.change_value(VALUE, map);
        }
        self.bind(missed);
    }

    /// A number out of a counter becomes a new entry's key or value.
    fn take_from_pool(&mut self, map: usize, fails: LabelId) {
        let pool = self.machine_map(|has_keys| !has_keys);
        let from = self.usual_key();
        self.put_key(map, KEY, from);
        let unknown = self.find(map, KEY, VALUE);
        self.change_value(VALUE, map);
        let end = self.label();
        self.goto(end);
        self.bind(unknown);
        self.put_key(pool, OTHER_KEY, KeyFrom::Constant(0));
        let empty = self.find(pool, OTHER_KEY, OTHER);
        let field = self.some_field(pool);
        self.load_field(1, OTHER, field);
        self.see(1);
        self.change_value(OTHER, pool);
        self.bind(empty);
        let from = self.random.one_of([KeyFrom::Sum, KeyFrom::Flow]);
        self.put_key(map, KEY, from);
        self.put(map, KEY, fails);
        self.bind(end);
    }
}
