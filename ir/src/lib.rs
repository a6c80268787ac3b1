//! The program IR: SSA over bit vectors of any width in a control-flow graph.
//!
//! A program is in one of four phases that never mix ([`Phase`]): structured (loops, calls and whole operations), control
//! flow (blocks and branches without a way back), dataflow (one block, every effect carries a guard, joins are selects) and scheduled (dataflow with a stage
//! number on every instruction; a use that crosses a stage *is* a register).
//!
//! Pointers do not exist here: a packet or stack pointer is an offset, a map value pointer is the entry that a
//! lookup gave and an offset into it, a null check is the lookup's hit bit. Offsets into the packet count from where it
//! began when it came in, whatever happens to its head: they are signed, and those before 0 are its headroom ([`Limits`]). Memory is little endian throughout:
//! byte `i` of a load, store, key or value is bits `8i+7..8i` of the bit vector.
//!
//! The rules that hold in each phase are written in [`verifier`]; what each operation means is written at [`Op`]
//! and executed by [`interpreter`].
#![warn(missing_docs)]

pub mod bits;
mod emit;
pub mod eval;
pub mod graph;
pub mod interpreter;
pub mod maps;
pub mod parse;
pub mod print;
pub mod structure;
pub mod syntax;
pub mod table;
pub mod verifier;
mod walk;

pub use bits::Bits;
use cranelift_entity::{entity_impl, PrimaryMap};
pub use emit::{
    Each, Emit, Front, Leaving, Limits, Role, Sent, SentCopy, To, MAX_OUTPUT_BITS, MAX_REACH_BYTES,
    MAX_STACK_BYTES, OFFSET_BITS,
};
pub use hardpath_diagnostic::count;
use hardpath_diagnostic::{self as diagnostic, Source};
pub use hardpath_packet::{Output, OwnInput};
pub use hardpath_registers::{Answer, May};
use std::fmt;
use std::sync::Arc;
use structure::{Bound, Function, FunctionData, Whole};
pub use table::{Field, Find, MapDecl, Match, FEW_MASKS_PRIORITIES};

/// An SSA value: a bit vector of fixed width, made by one instruction or block parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// One instruction: an operation, its arguments and its results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A basic block with parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// A map of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapId(u32);
entity_impl!(MapId, "map");

/// A place in the source that an instruction came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(u32);
entity_impl!(PlaceId, "place");

/// Which of the four forms a program is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// As control flow, and control may go back to the heads of loops; there are functions, and whole operations.
    Structured,
    /// Blocks and branches; no instruction has a guard or a stage.
    ControlFlow,
    /// One block; every effect has a guard (absent: always); no instruction has a stage.
    Dataflow,
    /// As dataflow, and every instruction has a stage.
    Scheduled,
}

impl Phase {
    /// The word for it in the text form.
    pub fn name(self) -> &'static str {
        syntax::word_for(&syntax::PHASES, &self)
    }
}

/// Where an instruction came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Slot (8 bytes) in the program, counted from 0.
    pub slot: u32,
    /// File name as the debug information has it; empty when there is none.
    pub file: String,
    /// Line in that file, from 1; 0 when unknown.
    pub line: u32,
    /// The character in [`Place::source`], from 1; 0 when unknown, and in text form.
    pub column: u32,
    /// The text of that line.
    pub source: String,
    /// What the slot is counted in, for messages: `firewall.o: section xdp`. Empty when unknown, and in text form.
    pub within: Arc<diagnostic::Place>,
}

impl From<&Place> for diagnostic::Place {
    fn from(place: &Place) -> diagnostic::Place {
        let unit = format!("instruction {}", place.slot);
        let whole = diagnostic::Place::clone(&place.within).within(unit);
        match place.line {
            0 => whole,
            line => whole.compiled_from(
                Source::new(&place.file, line)
                    .column(place.column)
                    .text(&place.source),
            ),
        }
    }
}

impl fmt::Display for Place {
    /// `firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))`, as far as known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        diagnostic::Place::from(self).fmt(f)
    }
}

/// What enters a program beside the packet's bytes. Drawn once, when the packet enters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// Length of the packet in bytes, 16 bits.
    Length,
    /// The interface where the packet came in, 32 bits.
    Ingress,
    /// The queue of that interface, 32 bits.
    Queue,
    /// The interface that the packet is about to leave by, 32 bits.
    Egress,
    /// The time in nanoseconds, 64 bits.
    Time,
    /// A random number, 32 bits.
    Random,
    /// The sum of all words of 16 bits of the packet as it came in, as numbers, 32 bits: a word has its first byte on top, and a last odd byte
    /// is one with a zero behind it.
    Sum,
    /// One of [`Program::inputs`], by the lowest of its bits among those of all, and its width.
    Own {
        /// The lowest bit.
        lo: u8,
        /// Bits.
        width: u8,
    },
}

impl Input {
    /// Width in bits.
    pub fn width(self) -> u32 {
        match self {
            Input::Length => 16,
            Input::Ingress | Input::Queue | Input::Egress | Input::Random | Input::Sum => 32,
            Input::Time => 64,
            Input::Own { width, .. } => width.into(),
        }
    }
}

/// What an atomic does to the `n`-byte word it finds (RFC 9669 §5.3). All give back the old word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Stores the sum of old word and operand, modulo 2^8n.
    Add,
    /// Stores the bits that old word and operand both have.
    And,
    /// Stores the bits that old word or operand has.
    Or,
    /// Stores the bits that one of old word and operand has, and not both.
    Xor,
    /// Stores the operand.
    Xchg,
    /// Stores the operand when the old word equals the expected one (the last argument).
    CmpXchg,
}

/// What an instruction does. `a`, `b`, … are its arguments in order; `w` is the width of its (first) result.
///
/// Pure operations may be executed speculatively: none of them traps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant of the result's width. No arguments.
    Const(Bits),
    /// A value that enters with the packet. No arguments.
    Input(Input),

    // Arithmetic modulo 2^w; arguments and result have the same width.
    /// `a + b`, the low `w` bits.
    Add,
    /// `a − b`, the low `w` bits.
    Sub,
    /// `a · b`, the low `w` bits.
    Mul,
    /// Unsigned division; division by zero gives 0 (RFC 9669 §4.1).
    UDiv,
    /// Unsigned remainder; modulo zero gives the dividend.
    URem,
    /// Signed division rounding to zero; by zero gives 0; the most negative number by −1 gives itself.
    SDiv,
    /// Signed remainder with the dividend's sign; modulo zero gives the dividend; by −1 gives 0.
    SRem,
    /// Bit by bit, all of one width: 1 where `a` and `b` are.
    And,
    /// Bit by bit, all of one width: 1 where `a` or `b` is.
    Or,
    /// Bit by bit, all of one width: 1 where `a` and `b` differ.
    Xor,
    /// Every bit of `a` inverted.
    Not,
    /// Shifts: `a` has the result's width, `b` any width and is unsigned. `b >= w` gives 0 (`AShr`: all sign bits).
    Shl,
    /// As [`Op::Shl`], to the right; zeros come in.
    LShr,
    /// As [`Op::Shl`], to the right; copies of the sign bit come in.
    AShr,

    // Compares: `a` and `b` have the same width, the result has width 1.
    /// 1 when `a` and `b` are the same.
    Eq,
    /// 1 when `a` and `b` differ.
    Ne,
    /// Unsigned `a < b`.
    Ult,
    /// Unsigned `a <= b`.
    Ule,
    /// Signed `a < b`.
    Slt,
    /// Signed `a <= b`.
    Sle,

    /// `a` (width 1) ? `b` : `c`.
    Select,
    /// Bits `lo + w − 1 .. lo` of `a`.
    Slice {
        /// The lowest bit that is taken, from 0; all `w` of them lie in `a`.
        lo: u32,
    },
    /// All arguments side by side, the first one in the most significant place. At least one argument.
    Concat,
    /// `a` extended with zeros to a width that is larger or the same.
    ZExt,
    /// `a` extended with its sign bit.
    SExt,

    // Effects. In the control-flow phase they happen when their block runs; later when their guard is 1.
    // The results of an effect that does not happen are 0.
    /// `(offset: 64) → 8n`: reads `n` bytes of the stack ([`Limits::stack`]). The stack starts as
    /// zeros. Bytes outside are 0.
    StackLoad,
    /// `(offset: 64, value: 8n)`. Bytes outside vanish.
    StackStore,
    /// `(offset: 64) → 8n`: reads bytes of the packet's memory, which reaches from −[`Limits::headroom`] to the packet's
    /// length or [`Limits::tail`], whichever is more. What did not come in is 0, and so is everything outside.
    PacketLoad,
    /// `(offset: 64, value: 8n)`: writes bytes of the packet's memory; those outside vanish.
    PacketStore,
    /// `(from: 64)`: makes the packet's memory from there on zeros. Only in the control-flow phase.
    PacketClear,
    /// `(key: 8·key_bytes) → hit: 1, entry: 32`. The entry of an array is its index; of other maps it is a handle
    /// that only the loads and stores of the same map understand. A miss gives entry 0.
    MapLookup(MapId),
    /// `(entry: 32, offset: 32) → 8n`: reads `n` bytes of the value. Offsets outside the value read 0. What it
    /// gives for an entry whose lookup missed is 0 too, but no lowered program may depend on it.
    MapLoad(MapId),
    /// `(entry: 32, offset: 32, value: 8n)`.
    MapStore(MapId),
    /// `(entry: 32, offset: 32, operand: 8n[, expected: 8n]) → old: 8n`.
    MapAtomic(MapId, AtomicOp),
    /// `(key, value: 8·value_bytes, may: 2) → 3`, not of [`Find::Ternary`]: an [`Answer`] to an update that may do what the bits of a [`May`] say.
    MapUpdate(MapId),
    /// `(key) → 3`, not of [`Find::Ternary`]: an [`Answer`].
    MapDelete(MapId),

    // Only in the structured phase.
    /// `(parameters) → results`: runs a function.
    Call(Function),
    /// An operation over a range of bytes.
    Whole(Whole),
}

impl Op {
    /// Whether the operation only computes: no effect, same arguments give the same result.
    pub fn is_pure(&self) -> bool {
        !matches!(
            self,
            Op::StackLoad
                | Op::StackStore
                | Op::PacketLoad
                | Op::PacketStore
                | Op::PacketClear
                | Op::MapLookup(_)
                | Op::MapLoad(_)
                | Op::MapStore(_)
                | Op::MapAtomic(..)
                | Op::MapUpdate(_)
                | Op::MapDelete(_)
                | Op::Call(_)
                | Op::Whole(_)
        )
    }

    /// Whether executing the operation can change what a later effect or the world sees.
    pub fn writes(&self) -> bool {
        matches!(
            self,
            Op::StackStore
                | Op::PacketStore
                | Op::PacketClear
                | Op::MapStore(_)
                | Op::MapAtomic(..)
                | Op::MapUpdate(_)
                | Op::MapDelete(_)
                | Op::Call(_)
                | Op::Whole(Whole::Copy { .. })
        )
    }

    /// Whether the operation inserts or removes keys of a map.
    pub fn changes_keys(&self) -> bool {
        matches!(self, Op::MapUpdate(_) | Op::MapDelete(_))
    }

    /// The map that the operation works on.
    pub fn map(&self) -> Option<MapId> {
        match *self {
            Op::MapLookup(m)
            | Op::MapLoad(m)
            | Op::MapStore(m)
            | Op::MapAtomic(m, _)
            | Op::MapUpdate(m)
            | Op::MapDelete(m) => Some(m),
            _ => None,
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct InstData {
    /// What it does, which says how many arguments and results there are, and of which widths.
    pub op: Op,
    /// In the order in which [`Op`] names them.
    pub args: Vec<Value>,
    /// In the order in which [`Op`] names them; none of a store.
    pub results: Vec<Value>,
    /// Width 1; only on effects and only from the dataflow phase on. `None`: the effect always happens.
    pub guard: Option<Value>,
    /// Only in the scheduled phase: the pipeline stage, from 0.
    pub stage: Option<u32>,
    /// Where in the source it came from; `None`: unknown.
    pub place: Option<PlaceId>,
}

/// A value's width, maker and name.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueData {
    /// Width in bits, at least 1.
    pub width: u32,
    /// The one instruction or block that makes it.
    pub def: ValueDef,
    /// What a reader should call it (an identifier, not necessarily unique).
    pub name: Option<String>,
}

/// What makes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// Result number `1` of the instruction.
    Result(Inst, u32),
    /// Parameter number `1` of the block.
    Param(Block, u32),
}

/// Where a jump goes, and the arguments for the parameters there.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// One that comes later in the order, or the head of a loop to which control goes back.
    pub block: Block,
    /// One for each parameter of the block, of the same width.
    pub args: Vec<Value>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    /// Goes on there in any case.
    Jump(Target),
    /// `cond` has width 1; 1 goes to `yes`.
    Branch {
        /// The condition, 1 bit.
        cond: Value,
        /// Where it goes when `cond` is 1.
        yes: Target,
        /// Where it goes when `cond` is 0.
        no: Target,
    },
    /// Ends the program: the packet leaves as its bytes are now, or it does not.
    Emit(Emit),
    /// Ends a function: its results.
    Return(Vec<Value>),
    /// A block that is still being built.
    None,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockData {
    /// The values that whoever goes here gives; the entry of a program has none.
    pub params: Vec<Value>,
    /// In the order in which they run.
    pub insts: Vec<Inst>,
    /// What follows the last instruction.
    pub terminator: Terminator,
    /// Where in the source it begins, for messages; `None`: unknown.
    pub place: Option<PlaceId>,
    /// Only in the structured phase: the block is a loop's head, and this is known of the loop.
    pub bound: Option<Bound>,
}

/// A program with its maps.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// What its source calls it, in any characters.
    pub name: String,
    /// The form that it is in: it decides which rules hold.
    pub phase: Phase,
    /// How long its packets are, and how far its memories reach.
    pub limits: Limits,
    /// What it asks for with each packet, beside what every packet has.
    pub inputs: Vec<OwnInput>,
    /// What it gives with each packet, beside the way that the packet goes.
    pub outputs: Vec<Output>,
    /// The tables that it works on.
    pub maps: PrimaryMap<MapId, MapDecl>,
    /// Where in the source instructions and blocks came from.
    pub places: PrimaryMap<PlaceId, Place>,
    /// All values, dead ones included.
    pub values: PrimaryMap<Value, ValueData>,
    /// All instructions, dead ones included; [`BlockData::insts`] has their order.
    pub insts: PrimaryMap<Inst, InstData>,
    /// All blocks, dead ones and those of functions included.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Only in the structured phase.
    pub functions: PrimaryMap<Function, FunctionData>,
    /// The blocks of the program, the entry first, each before all its successors but the heads of loops that it is in.
    /// Blocks and instructions that are not listed are dead and stay in the arenas unseen.
    pub order: Vec<Block>,
}

/// The widest value, in bits.
pub const MAX_WIDTH: u32 = 1 << 20;

impl Program {
    /// An empty program in the control-flow phase, without blocks.
    pub fn new(name: impl Into<String>) -> Program {
        Program {
            name: name.into(),
            phase: Phase::ControlFlow,
            limits: Limits::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            maps: PrimaryMap::new(),
            places: PrimaryMap::new(),
            values: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            order: Vec::new(),
        }
    }

    /// One of its own inputs, by name.
    pub fn own_input(&self, name: &str) -> Option<Input> {
        let (lo, input) = OwnInput::find(&self.inputs, name)?;
        Some(Input::Own {
            lo: lo as u8,
            width: input.width as u8,
        })
    }

    /// The name of one of its own inputs; `None`: it has none there.
    pub fn own_input_name(&self, lo: u8, width: u8) -> Option<&str> {
        OwnInput::name(&self.inputs, lo, width)
    }

    /// Adds an empty block at the end of the order.
    pub fn add_block(&mut self) -> Block {
        let block = self.make_block();
        self.order.push(block);
        block
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: Block, width: u32) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData {
            width,
            def: ValueDef::Param(block, index),
            name: None,
        });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes an instruction without placing it in a block. `widths` are those of its results.
    pub fn make_inst(
        &mut self,
        op: Op,
        args: Vec<Value>,
        widths: &[u32],
        place: Option<PlaceId>,
    ) -> Inst {
        let inst = self.insts.push(InstData {
            op,
            args,
            results: Vec::new(),
            guard: None,
            stage: None,
            place,
        });
        for (index, &width) in widths.iter().enumerate() {
            let value = self.values.push(ValueData {
                width,
                def: ValueDef::Result(inst, index as u32),
                name: None,
            });
            self.insts[inst].results.push(value);
        }
        inst
    }

    /// Appends an instruction to a block.
    pub fn append(
        &mut self,
        block: Block,
        op: Op,
        args: Vec<Value>,
        widths: &[u32],
        place: Option<PlaceId>,
    ) -> Inst {
        let inst = self.make_inst(op, args, widths, place);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result and gives that result.
    pub fn append1(
        &mut self,
        block: Block,
        op: Op,
        args: Vec<Value>,
        width: u32,
        place: Option<PlaceId>,
    ) -> Value {
        let inst = self.append(block, op, args, &[width], place);
        self.insts[inst].results[0]
    }

    /// Appends a constant.
    pub fn append_const(&mut self, block: Block, bits: Bits) -> Value {
        let width = bits.width();
        self.append1(block, Op::Const(bits), Vec::new(), width, None)
    }

    /// Width of a value in bits.
    pub fn width(&self, value: Value) -> u32 {
        self.values[value].width
    }

    /// The instruction that makes a value; `None` for a block parameter.
    pub fn def_inst(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(&self.insts[inst]),
            ValueDef::Param(..) => None,
        }
    }

    /// The constant that a value is, when its instruction is a constant.
    pub fn as_const(&self, value: Value) -> Option<&Bits> {
        match self.def_inst(value).map(|inst| &inst.op) {
            Some(Op::Const(bits)) => Some(bits),
            _ => None,
        }
    }

    /// The one block of a program in the dataflow or scheduled phase.
    pub fn region(&self) -> Block {
        debug_assert!(matches!(self.phase, Phase::Dataflow | Phase::Scheduled));
        self.order[0]
    }
}

impl Terminator {
    /// Every value that the terminator uses.
    pub fn uses(&self) -> Vec<Value> {
        match self {
            Terminator::Jump(target) => target.args.clone(),
            Terminator::Branch { cond, yes, no } => {
                let mut all = vec![*cond];
                all.extend(&yes.args);
                all.extend(&no.args);
                all
            }
            Terminator::Emit(emit) => emit.uses(),
            Terminator::Return(results) => results.clone(),
            Terminator::None => Vec::new(),
        }
    }

    /// The same uses, to be rewritten in place.
    pub fn uses_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Terminator::Jump(target) => target.args.iter_mut().collect(),
            Terminator::Branch { cond, yes, no } => {
                let mut all = vec![cond];
                all.extend(yes.args.iter_mut());
                all.extend(no.args.iter_mut());
                all
            }
            Terminator::Emit(emit) => emit.uses_mut(),
            Terminator::Return(results) => results.iter_mut().collect(),
            Terminator::None => Vec::new(),
        }
    }

    /// Where control may go next.
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            Terminator::Jump(target) => vec![target],
            Terminator::Branch { yes, no, .. } => vec![yes, no],
            _ => Vec::new(),
        }
    }
}
