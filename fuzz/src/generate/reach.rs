//! What a program reaches beyond itself: other programs by tail calls, user space by events, the MTUs of interfaces.

use super::maps::{kind, KEYS};
use super::state::Holds;
use super::Generator;
use crate::code::Unit;
use crate::encode::{self, helper, Operand};
use hardpath_ebpf::{MapRefKind, ObjectMap, TailCall, MTU_MAP};
use hardpath_ir::maps::Entries;

/// Of the ring buffer: far more than the events of one packet, behind which the judge reads it. Hardware's is always empty.
const RING_BYTES: u32 = 1 << 16;
/// `BPF_F_CURRENT_CPU` and `BPF_F_INDEX_MASK`: the entry of the CPU that runs the program.
const OWN_CPU: i32 = -1;
/// Interfaces up to this one have an MTU in the map.
const INTERFACES: u32 = 8;

impl Generator {
    /// Adds a map that no statement for maps chooses.
    pub(super) fn add_apart(&mut self, map: ObjectMap) -> usize {
        let number = self.maps.len();
        self.apart.push(number);
        self.maps.push(map);
        self.map_uses.push(super::maps::Uses::default());
        number
    }

    /// Programs behind a program array, written before the first one.
    pub(super) fn declare_tail_calls(&mut self) {
        let entries = self.random.one_of([2, 4, 4, 8]);
        let map = self.add_apart(map("programs", kind::PROG_ARRAY, (4, 4), entries));
        let programs = self.random.between(1, 3);
        for program in 0..programs {
            let units = self.other_program();
            self.others.push(units);
            for _ in 0..self.random.between(1, 2) {
                let index = self.random.below(entries as usize) as u32;
                self.tail_calls.retain(|entry| entry.index != index);
                self.tail_calls.push(TailCall {
                    map,
                    index,
                    program,
                });
            }
        }
        self.programs = Some(map);
    }

    /// A whole program that starts with nothing but the context.
    fn other_program(&mut self) -> Vec<Unit> {
        self.branches = self.random.between(0, 4) as u32;
        self.begin();
        self.prologue();
        let (exit, fail) = (self.label(), self.label());
        self.open = vec![fail];
        self.exits = vec![exit];
        self.load_fields();
        let statements = self.random.between(1, 16);
        self.statements(statements, 0);
        self.bind(fail);
        self.open.clear();
        self.show_results();
        self.set_verdict();
        self.bind(exit);
        self.emit(encode::exit());
        std::mem::take(&mut self.units)
    }

    /// `bpf_tail_call`: where the entry is empty the program goes on.
    pub(super) fn tail_call(&mut self) {
        let Some(programs) = self.programs else {
            return;
        };
        if !self.keep_context() {
            return;
        }
        let most = self.maps[programs].max_entries as i32;
        if self.random.percent(60) {
            let number = self.masked_number(most - 1, &[]);
            self.copy(3, number);
        } else {
            let index = self.random.between(0, most as usize) as i32;
            self.set_number(3, index);
        }
        let Some(context) = self.context() else {
            return;
        };
        if context == 3 {
            return;
        }
        if context != 1 {
            self.copy(1, context);
        }
        self.emit_map(2, programs, MapRefKind::Fd);
        self.call(helper::TAIL_CALL, Holds::Nothing);
        // The other program could have moved the packet.
        self.state.forget_packet();
        self.reload_packet();
    }

    /// A ring buffer, and an array of perf events.
    pub(super) fn declare_events(&mut self) {
        let ring = map("ring", kind::RINGBUF, (0, 0), RING_BYTES);
        let perf = map("perf", kind::PERF_EVENT_ARRAY, (4, 4), 0);
        self.events = Some((self.add_apart(ring), self.add_apart(perf)));
    }

    /// Tells user space something; what the helper answers is looked at.
    pub(super) fn event(&mut self) {
        let Some((ring, perf)) = self.events else {
            return;
        };
        if !self.keep_context() || !self.state.is_readable(KEYS, 32) {
            return;
        }
        match self.random.below(3) {
            0 => self.perf_event(perf),
            1 => self.ring_output(ring),
            _ => self.ring_reserve(ring),
        }
    }

    fn perf_event(&mut self, perf: usize) {
        let Some(context) = self.context() else {
            return;
        };
        if context != 1 {
            self.copy(1, context);
        }
        // The entry, and how many bytes of the packet belong to the event.
        let packet_bytes = self.random.one_of([0, 0, 14, 60, 300, 5000]);
        let index = self.random.one_of([OWN_CPU, OWN_CPU, 0]) as u32;
        self.emit_wide(3, packet_bytes << 32 | u64::from(index));
        self.emit_map(2, perf, MapRefKind::Fd);
        self.stack_argument(4, KEYS);
        let bytes = self.random.between(1, 32) as i32;
        self.set_number(5, bytes);
        self.call(helper::PERF_EVENT_OUTPUT, Holds::Number);
    }

    fn ring_output(&mut self, ring: usize) {
        self.emit_map(1, ring, MapRefKind::Fd);
        self.stack_argument(2, KEYS);
        let bytes = self.random.between(1, 32) as i32;
        self.set_number(3, bytes);
        let flags = self.random.one_of([0, 0, 1, 2, 4]);
        self.set_number(4, flags);
        self.call(helper::RINGBUF_OUTPUT, Holds::Number);
    }

    fn ring_reserve(&mut self, ring: usize) {
        self.emit_map(1, ring, MapRefKind::Fd);
        let bytes = self.random.one_of([8, 16, 64, 200, RING_BYTES as i32]);
        self.set_number(2, bytes);
        self.set_number(3, 0);
        self.call(helper::RINGBUF_RESERVE, Holds::Nothing);
        let none = self.label();
        self.emit(encode::branch(encode::JEQ, true, 0, Operand::Number(0)));
        self.jumps_to(none);
        let numbers = self.state.registers_with(|holds| holds == Holds::Number);
        let source = match self.random.pick(&numbers) {
            Some(register) => Operand::Register(register),
            None => Operand::Number(1),
        };
        self.emit(encode::store(0, 0, 8, source));
        self.emit(encode::mov(1, 0));
        self.set_number(2, 0);
        let number = self
            .random
            .one_of([helper::RINGBUF_SUBMIT, helper::RINGBUF_DISCARD]);
        self.call(number, Holds::Nothing);
        self.bind(none);
    }

    /// The map of MTUs, which the host fills.
    pub(super) fn declare_mtus(&mut self) {
        let mtus = map(MTU_MAP, kind::HASH, (4, 4), 64);
        let mut entries = Entries::new();
        for interface in 1..=INTERFACES {
            let mtu: u32 = self.random.one_of([68, 86, 100, 1500, 1500]);
            entries.insert(interface.to_le_bytes().into(), mtu.to_le_bytes().into());
        }
        self.image.insert(mtus.name.clone(), entries);
        self.add_apart(mtus);
        self.checks_mtu = true;
    }

    /// `bpf_check_mtu` of an interface, for the packet or for a given length.
    pub(super) fn check_mtu(&mut self) {
        let place = KEYS + 8;
        if !self.may_write_stack(place, 4) || !self.keep_context() {
            return;
        }
        let given = self.random.one_of([0, 0, 60, 86, 1500]);
        self.emit(encode::store(10, place, 4, Operand::Number(given)));
        self.state.write_stack(place, 4, false);
        if self.random.percent(40) {
            let number = self.masked_number(INTERFACES as i32 - 1, &[]);
            self.copy(2, number);
        } else {
            let interface = self.random.between(0, 4) as i32;
            self.set_number(2, interface);
        }
        let difference = self.random.one_of([0, 0, 4, 20, -14, 1400]);
        self.set_number(4, difference);
        let flags = self.random.one_of([0, 0, 0, 0, 2]);
        self.set_number(5, flags);
        self.stack_argument(3, place);
        let Some(context) = self.context() else {
            return;
        };
        if (2..6).contains(&context) {
            return;
        }
        if context != 1 {
            self.copy(1, context);
        }
        self.call(helper::CHECK_MTU, Holds::Number);
        self.state.write_stack(place, 4, true);
    }

    /// Global variables: one map each for those that begin as zeros, as something else, and that never change.
    pub(super) fn declare_globals(&mut self) {
        for (name, is_zero, read_only) in [
            ("fuzz.bss", true, false),
            ("fuzz.data", false, false),
            ("fuzz.rodata", false, true),
        ] {
            if self.random.percent(30) {
                continue;
            }
            let bytes = self.random.one_of([4, 8, 16, 24, 64]);
            let first = |generator: &mut Generator| match is_zero {
                true => 0,
                false => generator.random.byte() & 0x1f,
            };
            let initial = (0..bytes).map(|_| first(self)).collect();
            let variables = ObjectMap {
                // BPF_F_MMAPABLE, and BPF_F_RDONLY_PROG, as libbpf makes them.
                flags: 1 << 10 | u32::from(read_only) << 7,
                initial: Some(initial),
                read_only,
                ..map(name, kind::ARRAY, (4, bytes), 1)
            };
            let number = self.add_apart(variables);
            self.globals.push(number);
        }
    }

    /// Reads, sets or counts in a variable, or reads an element of a variable that the packet chooses.
    pub(super) fn use_global(&mut self) {
        let Some(map) = self.random.pick(&self.globals.clone()) else {
            return;
        };
        let (size, read_only) = (self.maps[map].value_bytes, self.maps[map].read_only);
        let bytes = self.random.one_of([1, 2, 4, 4, 8]).min(size);
        let offset = bytes * self.random.below((size / bytes) as usize) as u32;
        let number = self.number();
        let address = self.free_register(&[number]);
        if address == number || self.holds(number) != Holds::Number {
            return;
        }
        if size >= 16 && self.random.percent(25) {
            // An element of 8 bytes.
            let mask = (size.next_power_of_two() / 2).min(8);
            self.emit(encode::alu(
                encode::AND,
                true,
                number,
                Operand::Number(mask as i32),
            ));
            self.emit_map(address, map, MapRefKind::Value { offset: 0 });
            let index = Operand::Register(number);
            self.emit(encode::alu(encode::ADD, true, address, index));
            self.emit(encode::load(number, address, 0, 8));
            self.set_varied(number, true);
            return self.set(address, Holds::Nothing);
        }
        self.emit_map(address, map, MapRefKind::Value { offset });
        self.set(address, Holds::Nothing);
        match self.random.below(3) {
            0 if !read_only => {
                let source = Operand::Register(number);
                self.emit(encode::store(address, 0, bytes, source));
            }
            1 if !read_only => {
                let value = self.free_register(&[address, number]);
                if value == address || value == number {
                    return;
                }
                self.emit(encode::load(value, address, 0, bytes));
                self.set_varied(value, true);
                let operand = match self.random.percent(60) {
                    true => Operand::Number(1),
                    false => Operand::Register(number),
                };
                self.emit(encode::alu(encode::ADD, true, value, operand));
                self.emit(encode::store(address, 0, bytes, Operand::Register(value)));
            }
            _ => {
                self.emit(encode::load(address, address, 0, bytes));
                self.set_varied(address, !read_only);
            }
        }
    }
}

/// A map without flags, lock and first contents. `sizes`: of keys and values, in bytes.
fn map(name: &str, map_type: u32, sizes: (u32, u32), max_entries: u32) -> ObjectMap {
    ObjectMap {
        name: name.into(),
        map_type,
        key_bytes: sizes.0,
        value_bytes: sizes.1,
        max_entries,
        flags: 0,
        lock_offset: None,
        initial: None,
        read_only: false,
    }
}
