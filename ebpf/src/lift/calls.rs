//! Calls of the kernel's helpers.

use hardpath_ir::{Answer, Input, MapId, May, Op, Value};
use hardpath_kernel::{errno, MapType};

use super::state::{AbstractValue, MapPointer, Operand};
use super::Lifter;
use crate::core_relocation::POISONED_HELPER;
use crate::events;
use crate::helper_advice::advice;
use crate::helper_names::{helper_name, number};
use crate::helpers;

/// `-EINVAL`.
pub const EINVAL: u64 = errno::EINVAL as u64;

/// A jiffy of a kernel with 250 of them in a second (`CONFIG_HZ`), in nanoseconds.
const NS_PER_JIFFY: u64 = 4_000_000;

impl Lifter<'_> {
    pub(super) fn call_helper(&mut self, helper: i32) {
        if !helpers::is_built(helper) && helper != POISONED_HELPER {
            self.refuse_helper(helper);
            return;
        }
        if helper == number::LOOP {
            self.bpf_loop();
            return;
        }
        if helper == number::TAIL_CALL {
            self.tail_call();
            return;
        }
        match helper {
            number::XDP_ADJUST_HEAD => return self.xdp_adjust_head(),
            number::XDP_ADJUST_META => return self.xdp_adjust_meta(),
            number::XDP_ADJUST_TAIL => return self.xdp_adjust_tail(),
            _ => {}
        }
        let result = match helper {
            number::MAP_LOOKUP_ELEM => self.map_lookup(),
            number::MAP_UPDATE_ELEM => self.map_update(),
            number::MAP_DELETE_ELEM => self.map_delete(),
            number::REDIRECT => self.redirect(),
            number::REDIRECT_MAP => self.redirect_map(),
            number::MAP_LOOKUP_PERCPU_ELEM => self.map_lookup_percpu(),
            // A packet has one time, whatever clock it is asked of.
            number::KTIME_GET_NS
            | number::KTIME_GET_BOOT_NS
            | number::KTIME_GET_COARSE_NS
            | number::KTIME_GET_TAI_NS => {
                Some(AbstractValue::Scalar(self.builder.input(Input::Time)))
            }
            number::JIFFIES64 => {
                let time = self.builder.input(Input::Time);
                let tick = Operand::Const(NS_PER_JIFFY);
                let jiffies = self.builder.binary(Op::UDiv, time, tick, 64);
                self.builder.name(jiffies, "jiffies");
                Some(AbstractValue::Scalar(jiffies))
            }
            // Packets are processed one after the other, so every lock is free.
            number::SPIN_LOCK | number::SPIN_UNLOCK => Some(AbstractValue::Uninitialised),
            number::GET_PRANDOM_U32 => {
                let random = self.builder.input(Input::Random);
                let random = self.builder.zext(random, Input::Random.width(), 64);
                Some(AbstractValue::Scalar(random))
            }
            number::GET_SMP_PROCESSOR_ID | number::GET_NUMA_NODE_ID => {
                Some(AbstractValue::Scalar(Operand::Const(0)))
            }
            number::CSUM_DIFF => self.csum_diff(),
            helper if events::HELPERS.contains(&helper) => self.event(helper),
            number::CHECK_MTU => self.check_mtu(),
            number::XDP_GET_BUFF_LEN => self.xdp_get_buff_len(),
            number::XDP_LOAD_BYTES => self.xdp_load_bytes(),
            number::XDP_STORE_BYTES => self.xdp_store_bytes(),
            POISONED_HELPER => {
                self.refuse(
                    "core-missing-field",
                    "the program uses a field, type or value that the kernel's types do not have",
                    "give the BTF of the kernel that the program is for with --btf FILE, or ask for the field first (bpf_core_field_exists)",
                );
                None
            }
            _ => return self.refuse_helper(helper),
        };
        self.after_call(result.unwrap_or(AbstractValue::Reported));
    }

    fn refuse_helper(&mut self, helper: i32) {
        self.refuse_call(
            "unsupported-helper",
            format!(
                "the program calls {}, which hardpath does not build",
                helper_name(helper)
            ),
            &format!(
                "{}; `hardpath supported` lists what is built",
                advice(helper)
            ),
        );
    }

    /// A call through a register: only that of a helper whose number is known.
    pub(super) fn call_register(&mut self, register: u8) {
        match self.register(register) {
            AbstractValue::Scalar(Operand::Const(helper)) if helper <= i32::MAX as u64 => {
                self.call_helper(helper as i32);
            }
            AbstractValue::Function(slot) => self.call_function(i64::from(slot)),
            _ => self.refuse_call(
                "unsupported-call",
                "the program calls a function through a register".to_string(),
                "call the function by its name",
            ),
        }
    }

    /// A call of a kernel function. Where the object names it, linking has told the user.
    pub(super) fn kernel_function(&mut self, number: i32) {
        // It may write what its arguments point to.
        for register in 1..=5 {
            if let Some(offset) = self.stack_offset(self.register(register)) {
                let written = offset / 8;
                self.state.stack.spill(written, AbstractValue::Reported);
            }
        }
        self.refuse_call(
            "unsupported-kfunc",
            format!("the program calls the kernel function with BTF number {number}"),
            "kernel functions are not there in hardware; write the program without it",
        );
    }

    pub(super) fn refuse_call(&mut self, code: &'static str, message: String, help: &str) {
        self.refuse(code, message, help);
        self.after_call(AbstractValue::Reported);
    }

    pub(super) fn after_call(&mut self, result: AbstractValue) {
        self.set_register(0, result);
        for register in 1..=5 {
            self.set_register(register, AbstractValue::Uninitialised);
        }
    }

    /// The map in a register.
    pub(super) fn map_argument(&mut self, register: u8) -> Option<(usize, MapId)> {
        match self.usable(register)? {
            AbstractValue::Map(map) => Some((map, self.map_id(map)?)),
            other => {
                self.refuse(
                    "unknown-map-argument",
                    format!(
                        "a helper takes a map in r{register}, which holds {}",
                        other.description()
                    ),
                    "name the map in the call itself, one call for each map",
                );
                None
            }
        }
    }

    /// The `bytes` bytes that a register points to.
    fn memory_argument(&mut self, register: u8, bytes: u32) -> Option<Value> {
        let address = self.usable(register)?;
        let contents = self.read_memory(address, bytes)?;
        Some(self.builder.value(contents, bytes * 8))
    }

    fn key_argument(&mut self, map: usize) -> Option<Value> {
        let bytes = self.maps[map].key_bytes;
        let key = self.memory_argument(2, bytes)?;
        let name = format!("{}_key", self.map_name(map));
        self.builder.name(Operand::Value(key), &name);
        Some(key)
    }

    fn map_lookup(&mut self) -> Option<AbstractValue> {
        let (map, id) = self.map_argument(1)?;
        if !self.maps[map].kind().is_some_and(MapType::can_be_looked_up) {
            let name = self.map_name(map);
            self.refuse(
                "unsupported-lookup",
                format!("the program looks up an entry of {name}, a CPU map"),
                "programs can only redirect through a CPU map, as in the kernel",
            );
            return None;
        }
        let key = self.key_argument(map)?;
        Some(AbstractValue::MapValue(self.lookup(map, id, key)))
    }

    pub(super) fn lookup(&mut self, map: usize, id: MapId, key: Value) -> MapPointer {
        let inst = self.builder.effect(Op::MapLookup(id), vec![key], &[1, 32]);
        let results = &self.builder.program.insts[inst].results;
        let (hit, entry) = (Operand::Value(results[0]), Operand::Value(results[1]));
        let name = self.map_name(map);
        self.builder.name(hit, &format!("{name}_hit"));
        self.builder.name(entry, &format!("{name}_entry"));
        MapPointer {
            map,
            hit,
            entry,
            offset: Operand::Const(0),
            is_stale: false,
        }
    }

    /// `bpf_map_lookup_percpu_elem`, for the one CPU that there is.
    fn map_lookup_percpu(&mut self) -> Option<AbstractValue> {
        if self.scalar(3)? != Operand::Const(0) {
            self.refuse(
                "other-cpu",
                "the program looks up the value of another CPU",
                "hardware has one copy of a per-CPU map, that of CPU 0",
            );
            return None;
        }
        self.map_lookup()
    }

    fn map_update(&mut self) -> Option<AbstractValue> {
        let (map, _) = self.map_argument(1)?;
        let id = self.writable_map(map)?;
        let key = self.key_argument(map)?;
        let value = self.memory_argument(3, self.maps[map].value_bytes)?;
        let flags = self.scalar(4)?;
        let result = match self.maps[map].lock_offset {
            Some(lock) => self.update_with_lock(map, id, (key, value), lock, flags),
            None => self.update((map, id), key, value, flags),
        };
        let name = format!("{}_update", self.map_name(map));
        self.builder.name(result, &name);
        Some(AbstractValue::Scalar(result))
    }

    pub(super) fn update(
        &mut self,
        (map, id): (usize, MapId),
        key: Value,
        value: Value,
        flags: Operand,
    ) -> Operand {
        let map_type = self.map_type(map);
        let may = self.builder.may(map_type, flags);
        let may = self.builder.value(may, May::BITS);
        let args = vec![key, value, may];
        let answer = self.builder.effect1(Op::MapUpdate(id), args, Answer::BITS);
        let name = format!("{}_answer", self.map_name(map));
        self.builder.name(answer, &name);
        self.builder.updated(map_type, flags, answer)
    }

    /// The type of a map that is built.
    fn map_type(&self, map: usize) -> MapType {
        self.maps[map].kind().expect("a map that is built")
    }

    fn map_delete(&mut self) -> Option<AbstractValue> {
        let (map, _) = self.map_argument(1)?;
        let id = self.writable_map(map)?;
        let key = self.key_argument(map)?;
        let answer = self
            .builder
            .effect1(Op::MapDelete(id), vec![key], Answer::BITS);
        let map_type = self.map_type(map);
        if !map_type.is_array() {
            self.state.delete_entry(map);
        }
        let name = format!("{}_answer", self.map_name(map));
        self.builder.name(answer, &name);
        let result = self.builder.deleted(map_type, answer);
        let name = format!("{}_delete", self.map_name(map));
        self.builder.name(result, &name);
        Some(AbstractValue::Scalar(result))
    }
}
