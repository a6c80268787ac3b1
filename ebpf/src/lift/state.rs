//! What is known of the registers and the stack at one point of the program.

use std::collections::BTreeMap;
use std::rc::Rc;

use hardpath_ir::Value;
use hardpath_kernel::xdp::STACK_BYTES;

use super::facts::Facts;
use super::moves::Extent;
use super::stack::Stack;

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
    /// A pointer into the packet from before it was moved, with its offset (64 bits) as in `Packet`. As in the kernel it
    /// points nowhere any more, but it is still as far from other such pointers as it was.
    OldPacket(Operand),
    /// What `bpf_trace_printk` gives where there is no trace buffer: a number that nobody knows.
    Printed,
    /// Of no use, and the user has been told.
    Reported,
    /// 64 bits.
    Scalar(Operand),
    /// Packet byte at an offset (64 bits) from where the packet began when it came in.
    Packet(Operand),
    /// The end of the packet plus an offset (64 bits).
    PacketEnd(Operand),
    /// The low half of the address of a packet byte, at an offset (64 bits) as in `Packet`; a number, so it outlives
    /// the packet's moves.
    PacketLow(Operand),
    /// `struct xdp_md` plus an offset.
    Context(i64),
    /// Stack byte at an offset (64 bits); 0 is `r10 − 512` of the program itself.
    Stack(Operand),
    /// A map for helpers: index into the object's maps.
    Map(usize),
    /// The bpf function that begins at a slot.
    Function(u32),
    /// A byte of an event that a program is writing into a ring buffer.
    Event,
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
                | AbstractValue::Printed
                | AbstractValue::Reported
                | AbstractValue::Scalar(_)
        )
    }

    pub fn is_old_packet(self) -> bool {
        matches!(self, AbstractValue::OldPacket(_))
    }

    /// What to call it in a message.
    pub fn description(self) -> &'static str {
        match self {
            AbstractValue::Uninitialised => "nothing",
            AbstractValue::Unusable(reason) => reason,
            AbstractValue::OldPacket(_) => "a pointer into the packet from before it was moved",
            AbstractValue::Printed => "the number of bytes in the kernel's trace buffer",
            AbstractValue::Reported => "an earlier error",
            AbstractValue::Scalar(_) => "a number",
            AbstractValue::Packet(_) => "a packet pointer",
            AbstractValue::PacketEnd(_) => "the end of the packet",
            AbstractValue::PacketLow(_) => "half of a packet pointer",
            AbstractValue::Context(_) => "the context",
            AbstractValue::Stack(_) => "a stack pointer",
            AbstractValue::Map(_) => "a map",
            AbstractValue::Function(_) => "the address of a bpf function",
            AbstractValue::Event => "a pointer to an event in a ring buffer",
            AbstractValue::MapValue(_) => "a pointer to a map value",
            AbstractValue::Rodata { .. } => "a pointer to read-only data",
        }
    }
}

/// What a caller finds again when the function that it called is done.
#[derive(Clone, Debug)]
pub struct Saved {
    /// `r6` to `r9`; those that it does not read again are forgotten.
    pub registers: [AbstractValue; 4],
    /// What every round of a `bpf_loop` is given.
    pub context: AbstractValue,
    /// The number of such a round, 32 bits.
    pub round: Operand,
}

/// Everything that flows along an edge of the control-flow graph and is not in memory.
#[derive(Clone, Debug)]
pub struct State {
    pub registers: [AbstractValue; 11],
    pub stack: Stack,
    /// Where the packet lies in its memory.
    pub extent: Extent,
    /// Of the calls that are under way, the outermost first.
    pub callers: Vec<Saved>,
    /// 32 bits: where the last redirect goes ([`hardpath_kernel::xdp::destination`], or a broadcast of [`super::ending`]), 0 for nowhere.
    pub destination: Operand,
    /// 32 bits: what the last redirect named, an ifindex or the key of an entry that was there; 0 for none.
    pub redirect_target: Operand,
    /// Hit bits of lookups that a null check has decided on the way here.
    pub decided: Rc<BTreeMap<Value, bool>>,
    /// What branches on the way here say about numbers.
    pub facts: Facts,
    /// Tail calls on the way here; `None`: not the same on all paths.
    pub tail_calls: Option<u32>,
}

impl State {
    pub fn new() -> State {
        let mut registers = [AbstractValue::Uninitialised; 11];
        registers[10] = AbstractValue::Stack(Operand::Const(u64::from(STACK_BYTES)));
        State {
            registers,
            stack: Stack::new(),
            extent: Extent::new(),
            callers: Vec::new(),
            destination: Operand::Const(0),
            redirect_target: Operand::Const(0),
            decided: Rc::default(),
            facts: Facts::default(),
            tail_calls: Some(0),
        }
    }

    /// The number of the round of the `bpf_loop` that is under way, 32 bits.
    pub fn round(&self) -> Operand {
        let last = self.callers.last();
        last.map_or(Operand::Const(0), |saved| saved.round)
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
        for value in self.values_mut() {
            match value {
                AbstractValue::MapValue(pointer) if pointer.map == map => pointer.is_stale = true,
                _ => {}
            }
        }
    }

    /// Notes that the packet is about to be moved: as in the kernel, pointers into it point nowhere any more. `behind`
    /// gives the offset in the packet of what lies at an offset behind its end.
    pub fn forget_packet_pointers(&mut self, mut behind: impl FnMut(Operand) -> Operand) {
        for value in self.values_mut() {
            match *value {
                AbstractValue::Packet(offset) => *value = AbstractValue::OldPacket(offset),
                AbstractValue::PacketEnd(offset) => {
                    *value = AbstractValue::OldPacket(behind(offset));
                }
                _ => {}
            }
        }
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut AbstractValue> {
        let spills = Rc::make_mut(&mut self.stack.spills).values_mut();
        let saved = self.callers.iter_mut();
        let saved = saved.flat_map(|saved| saved.registers.iter_mut().chain([&mut saved.context]));
        let registers = self.registers.iter_mut();
        registers
            .chain(spills.map(|spill| &mut spill.value))
            .chain(saved)
    }

    /// Every operand that the state holds.
    pub fn operands(&self) -> Vec<Operand> {
        let mut all: Vec<Operand> = self.stack.numbers().collect();
        all.extend([self.destination, self.redirect_target]);
        all.extend(self.extent.operands());
        let spilled = self.stack.spills.values().map(|spill| &spill.value);
        let saved = self.callers.iter();
        all.extend(saved.clone().map(|saved| saved.round));
        let saved = saved.flat_map(|saved| saved.registers.iter().chain([&saved.context]));
        for value in self.registers.iter().chain(spilled).chain(saved) {
            // Widths do not matter here.
            let parts = value.parts(0).into_iter();
            all.extend(parts.map(|(operand, _)| operand));
        }
        all
    }
}
