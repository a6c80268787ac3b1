//! Foreign modules: others wrote their text, and a design has instances of them.
//!
//! Known of one are its ports, with their widths and clocks, what its outputs follow within a clock, its text in the languages in
//! which there is one, and a [`Model`] that does in the native simulator what the text does. Nothing checks that they do the same:
//! whoever gives them shows it.
//!
//! ```
//! use hardpath_rtl::foreign::{Foreign, Parameter};
//! use hardpath_rtl::Module;
//! let mut rotate = Module::foreign("rotate_by_3", "Turns a word.", Foreign {
//!     name: "rotate".into(),
//!     parameters: vec![("BY".into(), Parameter::Integer(3))],
//!     verilog: Some("module rotate #(parameter BY = 1) (/* … */); /* … */ endmodule".into()),
//!     ..Foreign::default()
//! });
//! let word = rotate.input("word", 8, "");
//! rotate.foreign_output("rotated", 8, &[word], "within the clock");
//! ```
//!
//! The ports in its text are one bit (`wire`, `std_logic`) or vectors down to bit 0 (`wire [7:0]`, `std_logic_vector(7 downto 0)`),
//! and are called as here, also in VHDL. Resets are synchronous and active high; what wants others stands in a text that inverts them.

use crate::{ClockData, Direction, Module, Node, NodeOp, Port};
use std::fmt;
use std::sync::Arc;

/// What is known of a foreign module beside its ports.
#[derive(Clone, Debug, Default)]
pub struct Foreign {
    /// What module or entity is called in its text. Several modules of a design can be the same with other parameters.
    pub name: String,
    /// Parameters in SystemVerilog, generics in VHDL: names and values.
    pub parameters: Vec<(String, Parameter)>,
    /// The text of the module and of what it needs. `None`: designs with it cannot be printed in SystemVerilog.
    pub verilog: Option<String>,
    /// The same in VHDL-2008: entity and architecture. It is analysed into the library `work`.
    pub vhdl: Option<String>,
    /// `None`: the native simulator cannot run designs with it.
    pub model: Option<MakeModel>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// In decimal; what has 32 bits everywhere.
    Integer(i32),
    /// Limbs, least significant first, and bits: a packed vector, a `std_logic_vector`.
    Bits(Vec<u64>, u32),
    /// Printable ASCII.
    Text(String),
}

/// What a foreign module does, for the native simulator. Limbs of 64 bits, least significant first; bits above a width are 0.
pub trait Model: Send {
    /// An output in the present state. `output`: its number among the outputs, in the order of the ports; `follows`: the inputs that
    /// it was declared to follow, in that order. `value` is zeros before.
    fn output(&self, output: usize, follows: &Values, value: &mut [u64]);

    /// Rising edges, all at once, of those clocks that are given by their index. `inputs`: in the order of the ports, as they stood
    /// before.
    fn edge(&mut self, clocks: &[usize], inputs: &Values);

    /// The reset of a clock was 1 at its edge: what it sets is set, after [`Model::edge`].
    fn reset(&mut self, clock: usize);
}

/// Values of inputs.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    limbs: &'a [u64],
    /// First limb and number of limbs of each.
    places: &'a [(usize, usize)],
}

impl<'a> Values<'a> {
    /// Values that stand among limbs, each by its first one and their number.
    pub fn new(limbs: &'a [u64], places: &'a [(usize, usize)]) -> Values<'a> {
        Values { limbs, places }
    }

    /// The limbs of a value.
    pub fn get(&self, index: usize) -> &'a [u64] {
        let (first, count) = self.places[index];
        &self.limbs[first..first + count]
    }

    /// Its low 64 bits.
    pub fn get_u64(&self, index: usize) -> u64 {
        self.get(index)[0]
    }
}

/// Makes a model in its first state, one for each instance.
#[derive(Clone)]
pub struct MakeModel(Arc<dyn Fn() -> Box<dyn Model> + Send + Sync>);

impl MakeModel {
    /// `make` is called once for each instance.
    pub fn new<M: Model + 'static>(make: impl Fn() -> M + Send + Sync + 'static) -> MakeModel {
        MakeModel(Arc::new(move || Box::new(make())))
    }

    /// A new model.
    pub fn make(&self) -> Box<dyn Model> {
        (self.0)()
    }
}

impl fmt::Debug for MakeModel {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("MakeModel")
    }
}

impl Module {
    /// A foreign module. `name`: what the design calls it, which is not printed.
    pub fn foreign(name: impl Into<String>, doc: impl Into<String>, foreign: Foreign) -> Module {
        let mut module = Module::new(name, doc);
        module.foreign = Some(foreign);
        module
    }

    /// A foreign module without clock and reset: its outputs follow its inputs.
    pub fn foreign_logic(
        name: impl Into<String>,
        doc: impl Into<String>,
        foreign: Foreign,
    ) -> Module {
        let mut module = Module::foreign(name, doc, foreign);
        for ClockData {
            is_port, has_reset, ..
        } in module.clocks.values_mut()
        {
            (*is_port, *has_reset) = (false, false);
        }
        module
    }

    /// An output of a foreign module. `follows`: the inputs on which it depends within a clock.
    pub fn foreign_output(
        &mut self,
        name: impl Into<String>,
        width: u32,
        follows: &[Node],
        doc: impl Into<String>,
    ) {
        let index = self.ports.len() as u32;
        let node = self.push(NodeOp::Foreign(index), follows.to_vec(), width);
        self.output(name, node, doc);
    }

    /// The numbers of the ports that are inputs.
    pub fn input_ports(&self) -> impl Iterator<Item = u32> + '_ {
        let inputs = |(_, port): &(u32, &Port)| port.direction == Direction::Input;
        (0..)
            .zip(&self.ports)
            .filter(inputs)
            .map(|(index, _)| index)
    }
}
