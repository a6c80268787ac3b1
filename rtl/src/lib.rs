//! The hardware IR: modules of registers, memories, instances and combinational nodes.
//!
//! Every module has the implicit inputs `clk` and `rst`. A [`Node`] is a combinational value; its arguments are
//! nodes that were made before it, except that a register, a memory's read port, an instance's output or a
//! [`NodeOp::Wire`] may be read before it is driven. Registers take their next value at the rising clock edge;
//! `rst` = 1 at that edge sets those that have a reset value to it. Nothing is undefined: registers and memories
//! start as zeros (registers with a reset value: as that value).
//!
//! A module can have more clocks, each with a synchronous reset of its own ([`ClockData`]). Each port, register, memory port and
//! assertion belongs to one of them, and an instance says which clock of its parent each of its own is. What belongs to different
//! clocks never meets in logic ([`domains`]): it crosses in a module that is made for it ([`Module::is_crossing`]).
//!
//! A module can be *foreign*: others wrote its text, and only its ports are known here ([`foreign`]).
//!
//! The rules are written and checked in [`check`]; the printers are [`verilog`] and [`vhdl`], and share [`print`].

#![warn(missing_docs)]

pub mod borrow;
pub mod build;
pub mod check;
mod clears;
pub mod crossings;
pub mod dependence;
pub mod domains;
pub mod foreign;
mod order;
pub mod print;
pub mod signals;
pub mod spread;
mod uses;
pub mod verilog;
pub mod vhdl;

use cranelift_entity::{entity_impl, PrimaryMap};
use foreign::Foreign;

/// A combinational value in a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);
entity_impl!(Node, "n");

/// A register in a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(u32);
entity_impl!(Reg, "reg");

/// A memory in a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mem(u32);
entity_impl!(Mem, "mem");

/// An instance of another module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(u32);
entity_impl!(Instance, "inst");

/// A module of a design.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(u32);
entity_impl!(ModuleId, "module");

/// A clock of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clock(u32);
entity_impl!(Clock, "clock");

impl Clock {
    /// The one that every module has.
    pub const FIRST: Clock = Clock(0);
}

/// A heading in a module's text; what is made after it stands below it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(u32);
entity_impl!(Section, "section");

/// Modules, callees before callers; the last one is the top.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// All of it, by number.
    pub modules: PrimaryMap<ModuleId, Module>,
    /// Of its memories and of registers that are copies, in the text.
    pub attributes: Attributes,
}

/// One module.
#[derive(Clone, Debug)]
pub struct Module {
    /// A legal, unique identifier.
    pub name: String,
    /// What stands above the module as a comment: its contract. Lines without comment signs.
    pub doc: String,
    /// At least one. Their inputs are implicit and stand first in the text.
    pub clocks: PrimaryMap<Clock, ClockData>,
    /// In order, without the clocks and their resets.
    pub ports: Vec<Port>,
    /// Each after its arguments, but for those that are read before they are driven.
    pub nodes: PrimaryMap<Node, NodeData>,
    /// What keeps a value from one clock to the next.
    pub regs: PrimaryMap<Reg, RegData>,
    /// What keeps many words.
    pub mems: PrimaryMap<Mem, MemData>,
    /// Modules that stand in this one.
    pub instances: PrimaryMap<Instance, InstanceData>,
    /// Headings, in the order of the text.
    pub sections: PrimaryMap<Section, String>,
    /// What simulation checks.
    pub asserts: Vec<Assert>,
    /// It brings values from one of its clocks to another. Only here a synchronizer may read a register of another clock
    /// ([`RegData::is_synchronizer`]), and a memory be read with another clock than it is written with. Its contract says why
    /// nothing is torn or read too early.
    pub is_crossing: bool,
    /// `Some`: its text is not made here. It has no registers, memories, instances and assertions, and its nodes are its inputs
    /// and a [`NodeOp::Foreign`] for each output.
    pub foreign: Option<Foreign>,
    /// What the builder makes belongs to it.
    current_clock: Clock,
}

/// A clock of a module, and the reset that is read at its edges: two implicit inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockData {
    /// What its input is called.
    pub name: String,
    /// What the input of its reset is called: synchronous to it, active high.
    pub reset: String,
    /// The text has an input for the clock. False only of foreign modules without registers, whose ports belong to a clock all
    /// the same.
    pub is_port: bool,
    /// The text has an input for the reset. False only of foreign modules.
    pub has_reset: bool,
}

/// A port of a module.
#[derive(Clone, Debug)]
pub struct Port {
    /// An identifier that no other port of the module has.
    pub name: String,
    /// In bits, at least one.
    pub width: u32,
    /// Who drives it.
    pub direction: Direction,
    /// Whose edges it comes from or goes to.
    pub clock: Clock,
    /// What stands beside it as a comment; may be empty.
    pub doc: String,
}

/// Who drives a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Whoever instantiates the module.
    Input,
    /// Driven by the node.
    Output(Node),
}

/// A combinational value.
#[derive(Clone, Debug)]
pub struct NodeData {
    /// How it comes from its arguments.
    pub op: NodeOp,
    /// In the order that the operation says.
    pub args: Vec<Node>,
    /// In bits, at least one.
    pub width: u32,
    /// A wish: the printer declares a named signal, made unique within the module. Without a name the node is
    /// printed inside the expression that uses it where the language allows that.
    pub name: Option<String>,
    /// Printed above or behind the declaration.
    pub comment: Option<String>,
    /// The heading under which it stands; `None`: above all of them.
    pub section: Option<Section>,
}

/// What a node computes. Widths: as in the program IR's operation of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeOp {
    /// A module input, by its index in `ports`.
    Input(u32),
    /// A constant; limbs of 64 bits, least significant first.
    Const(Vec<u64>),
    /// The register's present value.
    Reg(Reg),
    /// The data of a memory's read port (index into `reads`).
    MemRead(Mem, u32),
    /// An output of an instance, by the port's index in the callee's `ports`.
    InstanceOutput(Instance, u32),
    /// What a foreign module gives on its output of that index in `ports`. Arguments: the inputs that it follows within a clock.
    Foreign(u32),
    /// A name for its argument, which may be given later: `args` is empty until then (`Module::drive`).
    Wire,
    /// Every bit of one argument inverted.
    Not,
    /// Any number of arguments from 2 up, all of the result's width.
    And,
    /// Likewise.
    Or,
    /// Likewise.
    Xor,
    /// In the text `+` and `-`, which tools build as carry chains.
    Add,
    /// First argument minus second, modulo 2^width.
    Sub,
    /// Low bits of the product; arguments and result have the same width.
    Mul,
    /// Shifts by a second argument of any width, unsigned; too far gives 0 (`AShr`: the sign).
    Shl,
    /// To the right, zeros come in.
    LShr,
    /// To the right, copies of the sign come in.
    AShr,
    /// Compares: same widths, result 1.
    Eq,
    /// Equal.
    Ne,
    /// Not equal.
    Ult,
    /// Less than, unsigned.
    Ule,
    /// At most, unsigned.
    Slt,
    /// Less than, in two's complement.
    Sle,
    /// `args[0]` ? `args[1]` : `args[2]`.
    Mux,
    /// As many bits of the argument as the result has, from one on.
    Slice {
        /// The argument's bit that becomes bit 0.
        lo: u32,
    },
    /// The first argument is the most significant.
    Concat,
    /// Zeros above the argument, which is narrower.
    ZExt,
    /// Copies of the sign above the argument, which is narrower.
    SExt,
    /// Reductions to one bit.
    ReduceOr,
    /// Whether all bits are 1.
    ReduceAnd,
    /// Whether an odd number of bits is 1.
    ReduceXor,
}

/// A register.
#[derive(Clone, Debug)]
pub struct RegData {
    /// A wish: the printer makes it unique within the module.
    pub name: String,
    /// In bits, at least one.
    pub width: u32,
    /// Value at the next edge. `None` until driven.
    pub next: Option<Node>,
    /// Width 1; 0 keeps the value. `None`: always takes `next`.
    pub enable: Option<Node>,
    /// Limbs of the value that `rst` sets, before `enable` is looked at. `None`: not reset (data).
    pub reset: Option<Vec<u64>>,
    /// One of several that hold the same, so that none of them drives too many loads: tools must not merge it with another one.
    pub is_apart: bool,
    /// One of the flip-flops in a row that a value of another clock settles in: it reads a register straight, of another clock or
    /// the synchronizer before it. Tools keep them as they are, and near each other.
    pub is_synchronizer: bool,
    /// Whose edges it takes values at.
    pub clock: Clock,
    /// Printed above or behind the declaration.
    pub comment: Option<String>,
    /// The heading under which it stands; `None`: above all of them.
    pub section: Option<Section>,
}

/// How a memory is meant to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemStyle {
    /// Let the tool decide.
    Auto,
    /// Block RAM: reads are synchronous.
    Block,
    /// LUT RAM.
    Distributed,
    /// Flip-flops, with multiplexers to read them.
    Registers,
    /// UltraRAM.
    Ultra,
}

/// Whose attributes say how a memory is built, and which registers stay apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attributes {
    /// `ram_style` and `dont_touch`, as AMD's tools read them; yosys reads the former.
    #[default]
    Amd,
    /// `ramstyle` and `dont_merge`, as Quartus reads them.
    Quartus,
}

impl Attributes {
    /// Name and value of the attribute of a register that must not be merged with another one.
    pub fn copy(self) -> (&'static str, Copied) {
        match self {
            Attributes::Amd => ("dont_touch", Copied::Text("true")),
            Attributes::Quartus => ("dont_merge", Copied::Flag),
        }
    }

    /// Name and value of the attribute of a synchronizer's flip-flop.
    pub fn synchronizer(self) -> (&'static str, &'static str) {
        match self {
            Attributes::Amd => ("ASYNC_REG", "TRUE"),
            Attributes::Quartus => (
                "altera_attribute",
                "-name SYNCHRONIZER_IDENTIFICATION FORCED_IF_ASYNCHRONOUS; \
                 -name DONT_MERGE_REGISTER ON; -name PRESERVE_REGISTER ON",
            ),
        }
    }

    /// The name of a memory's attribute.
    pub fn name(self) -> &'static str {
        match self {
            Attributes::Amd => "ram_style",
            Attributes::Quartus => "ramstyle",
        }
    }

    /// Its value; `None`: a memory of this style has none.
    pub fn value(self, style: MemStyle) -> Option<&'static str> {
        let [amd, quartus] = match style {
            MemStyle::Auto => return None,
            MemStyle::Block => ["block", "M20K"],
            MemStyle::Distributed => ["distributed", "MLAB"],
            MemStyle::Registers => ["registers", "logic"],
            // Only AMD has it: the others build it of block RAM.
            MemStyle::Ultra => ["ultra", "M20K"],
        };
        Some(match self {
            Attributes::Amd => amd,
            Attributes::Quartus => quartus,
        })
    }
}

/// The kind of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// What stands between quotes behind the attribute's name.
    Text(&'static str),
    /// A boolean that is true.
    Flag,
}

/// A memory of `depth` words. Words start as zeros; reset does not clear them.
#[derive(Clone, Debug)]
pub struct MemData {
    /// A wish: the printer makes it unique within the module.
    pub name: String,
    /// Of a word, in bits.
    pub width: u32,
    /// In words, at least one.
    pub depth: u32,
    /// What it is meant to become.
    pub style: MemStyle,
    /// In the text a deeper memory stands as banks of so many words, a power of two. All reads of such a memory are synchronous.
    /// `None`: the tool divides it.
    pub bank_words: Option<u32>,
    /// All of one clock.
    pub writes: Vec<MemWrite>,
    /// What [`NodeOp::MemRead`] counts.
    pub reads: Vec<MemReadPort>,
    /// Printed above or behind the declaration.
    pub comment: Option<String>,
    /// The heading under which it stands; `None`: above all of them.
    pub section: Option<Section>,
}

impl MemData {
    /// The wishes for names in the text: of the memory, or of each bank.
    pub fn printed_names(&self) -> Vec<String> {
        let Some(words) = self.bank_words.filter(|words| *words < self.depth) else {
            return vec![self.name.clone()];
        };
        let banks = 0..self.depth.div_ceil(words);
        banks.map(|bank| bank_name(&self.name, bank)).collect()
    }
}

/// What a bank of a memory is called.
pub fn bank_name(memory: &str, bank: u32) -> String {
    format!("{memory}_{bank}")
}

/// What a column of a wide memory is called.
pub fn column_name(memory: &str, column: u32) -> String {
    format!("{memory}_column_{column}")
}

/// UltraRAM, which [`MemStyle::Ultra`] means: words, and their bits (UG573).
pub const ULTRA_RAM: (u32, u32) = (4096, 72);

/// A write port: at the clock edge, `enable` writes `data` to `address`. Of several ports that write one word at
/// one edge the last wins (designs must not let that happen). An address at or above `depth` writes nothing.
#[derive(Clone, Debug)]
pub struct MemWrite {
    /// A word's number, of any width.
    pub address: Node,
    /// As wide as a word.
    pub data: Node,
    /// Width 1, or a bit for each of so many equal parts of a word, the lowest first: those whose bit is 0 keep what they have.
    pub enable: Node,
    /// The lowest bit that is written; `data` is as wide as what is. Only of single parts, which the printers make of a port.
    pub part: Option<u32>,
    /// All write ports of a memory have the same.
    pub clock: Clock,
}

/// A read port.
#[derive(Clone, Debug)]
pub struct MemReadPort {
    /// A word's number, of any width.
    pub address: Node,
    /// `Some(enable)`: synchronous: the data of `address` at this edge stands on the output from the next clock
    /// on, as it was *before* any write of this edge (read first); enable = 0 keeps the output.
    /// `None`: asynchronous: the output follows the address. An address at or above `depth` reads 0.
    pub enable: Option<Node>,
    /// What is read at this edge is 0. Only banks have it, which the printers make of a memory.
    pub zero: Option<Node>,
    /// Of an asynchronous port: that of its address, and of what reads it.
    pub clock: Clock,
}

/// An instance. `inputs` holds a node for each input port of the callee, by port index.
#[derive(Clone, Debug)]
pub struct InstanceData {
    /// What is instantiated: a module that comes before this one in the design.
    pub module: ModuleId,
    /// A wish: the printer makes it unique within the module.
    pub name: String,
    /// By clock of the callee: which clock of this module it is.
    pub clocks: Vec<Clock>,
    /// What each of them takes, by the index in the callee's `ports`.
    pub inputs: Vec<(u32, Node)>,
    /// Printed above or behind the declaration.
    pub comment: Option<String>,
    /// The heading under which it stands; `None`: above all of them.
    pub section: Option<Section>,
}

/// Something that must hold at every rising edge of its clock while that has no reset. Checked in simulation, not synthesized.
#[derive(Clone, Debug)]
pub struct Assert {
    /// A legal identifier.
    pub name: String,
    /// Width 1.
    pub condition: Node,
    /// What a simulator says when it does not hold.
    pub message: String,
    /// At whose edges it is checked.
    pub clock: Clock,
}
