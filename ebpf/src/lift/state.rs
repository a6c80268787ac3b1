//! What is known of the registers and the stack at one point of the program.

use std::collections::BTreeMap;

use hardpath_ir::{Value, STACK_BYTES};

/// A number that is known now or will be when the program runs. Its width follows from where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Const(u64),
    Value(Value),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Operand {
        Operand::Value(value)
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbstractValue {
    /// Never written, or overwritten by a call.
    Uninitialised,
    /// Of no use, for a reason; an error when something uses it.
    Unusable(&'static str),
    /// Of no use, and the user has been told.
    Reported,
    /// 64 bits.
    Scalar(Operand),
    /// Packet byte at an offset (64 bits) from the packet's beginning.
    Packet(Operand),
    /// The end of the packet plus an offset (64 bits).
    PacketEnd(Operand),
    /// `struct xdp_md` plus an offset.
    Context(i64),
    /// Stack byte at an offset (64 bits); 0 is `r10 − 512`.
    Stack(Operand),
    /// A map for helpers: index into the object's maps.
    Map(usize),
    /// What a lookup gave, or the address of global data.
    MapValue(MapPointer),
    /// Byte of a `.rodata` map (index into the object's maps) at an offset (64 bits).
    Rodata { map: usize, offset: Operand },
}

/// A pointer to a map's value, or null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapPointer {
    /// Index into the object's maps.
    pub map: usize,
    /// 1 bit: not null.
    pub hit: Operand,
    /// 32 bits.
    pub entry: Operand,
    /// 64 bits.
    pub offset: Operand,
    /// An entry of the map has been deleted since the lookup, perhaps this one.
    pub is_stale: bool,
}

impl AbstractValue {
    pub fn is_pointer(self) -> bool {
        !matches!(
            self,
            AbstractValue::Uninitialised
                | AbstractValue::Unusable(_)
                | AbstractValue::Reported
                | AbstractValue::Scalar(_)
        )
    }

    /// What to call it in a message.
    pub fn description(self) -> &'static str {
        match self {
            AbstractValue::Uninitialised => "nothing",
            AbstractValue::Unusable(reason) => reason,
            AbstractValue::Reported => "an earlier error",
            AbstractValue::Scalar(_) => "a number",
            AbstractValue::Packet(_) => "a packet pointer",
            AbstractValue::PacketEnd(_) => "the end of the packet",
            AbstractValue::Context(_) => "the context",
            AbstractValue::Stack(_) => "a stack pointer",
            AbstractValue::Map(_) => "a map",
            AbstractValue::MapValue(_) => "a pointer to a map value",
            AbstractValue::Rodata { .. } => "a pointer to read-only data",
        }
    }
}

/// A pointer that was stored on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spill {
    pub value: AbstractValue,
    /// Bytes of the slot that still belong to the pointer, one bit each; never 0.
    pub bytes: u8,
}

/// Everything that flows along an edge of the control-flow graph and is not in memory.
#[derive(Clone, Debug)]
pub struct State {
    pub registers: [AbstractValue; 11],
    /// By 8-byte slot of the stack.
    pub spills: BTreeMap<u32, Spill>,
    /// 32 bits: the ifindex of the last redirect, 0 for none.
    pub destination: Operand,
    /// Hit bits of lookups that a null check has decided on the way here.
    pub decided: BTreeMap<Value, bool>,
}

impl State {
    pub fn new() -> State {
        let mut registers = [AbstractValue::Uninitialised; 11];
        registers[10] = AbstractValue::Stack(Operand::Const(u64::from(STACK_BYTES)));
        State {
            registers,
            spills: BTreeMap::new(),
            destination: Operand::Const(0),
            decided: BTreeMap::new(),
        }
    }

    /// The value with what null checks say: a pointer that is known to be null is the number 0.
    pub fn simplify(&self, value: AbstractValue) -> AbstractValue {
        match value {
            AbstractValue::MapValue(pointer) if self.hit(pointer) == Some(false) => {
                AbstractValue::Scalar(Operand::Const(0))
            }
            _ => value,
        }
    }

    /// Whether a pointer is not null, when that is known.
    pub fn hit(&self, pointer: MapPointer) -> Option<bool> {
        match pointer.hit {
            Operand::Const(bit) => Some(bit != 0),
            Operand::Value(value) => self.decided.get(&value).copied(),
        }
    }

    /// Notes that an entry of a map has been deleted.
    pub fn delete_entry(&mut self, map: usize) {
        let spilled = self.spills.values_mut().map(|spill| &mut spill.value);
        for value in self.registers.iter_mut().chain(spilled) {
            match value {
                AbstractValue::MapValue(pointer) if pointer.map == map => pointer.is_stale = true,
                _ => {}
            }
        }
    }

    /// Notes that bytes of the stack no longer hold pointers.
    pub fn overwrite_stack(&mut self, offset: u64, bytes: u64) {
        for byte in offset..offset.saturating_add(bytes).min(u64::from(STACK_BYTES)) {
            let slot = (byte / 8) as u32;
            if let Some(spill) = self.spills.get_mut(&slot) {
                spill.bytes &= !(1 << (byte % 8));
                if spill.bytes == 0 {
                    self.spills.remove(&slot);
                }
            }
        }
    }

    /// Notes that some unknown bytes of the stack were written: no stored pointer can be trusted any more.
    pub fn overwrite_stack_somewhere(&mut self) {
        for spill in self.spills.values_mut() {
            spill.value = AbstractValue::Unusable(
                "a pointer that a store at a variable stack offset may have overwritten",
            );
        }
    }

    /// Whether any of these bytes of the stack belongs to a pointer.
    pub fn has_pointer(&self, offset: u64, bytes: u64) -> bool {
        (offset..offset.saturating_add(bytes).min(u64::from(STACK_BYTES))).any(|byte| {
            let spill = self.spills.get(&((byte / 8) as u32));
            spill.is_some_and(|spill| spill.bytes >> (byte % 8) & 1 == 1)
        })
    }
}
