//! What a program does with packets, by the specification: the reference that everything else is compared with. It walks the typed
//! program and shares nothing with what makes hardware of it.
//!
//! What the specification leaves open (§8.22: what was never written) is zero here, and a header that was never written is not valid.

mod bits;
mod calls;
mod data;
mod expressions;
mod externs;
pub(crate) mod hashes;
mod learning;
mod messages;
mod meters;
mod packets;
mod places;
mod profiles;
mod statements;
mod tables;

pub use data::{zero, Data};
pub use externs::passed_length;
pub use learning::{learned_action, learns, NOT_LEARNING};
pub use messages::{Message, Said};
pub use meters::{Meter, NOT_THE_METERS_TABLE};
pub use packets::ONLY_PARSERS;
pub use tables::{first_tables, Entry, Match, TableState, Through, NOT_ITS_TABLE};

use crate::design::{Design, Known};
use crate::meters::Colour;
use crate::source::{Sources, Span};
use crate::typed::Program;
use bits::Bits;
use externs::State;
use hardpath_diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// Where a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Nowhere.
    Nowhere,
    /// Out at the port where it came in.
    Back,
    /// To a port.
    Port(u32),
    /// To a queue of the host.
    Host(u32),
}

/// What becomes of a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Where it goes.
    pub way: Way,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the program said while it was there: `log_msg`, `assert` that does not hold, digests.
    pub messages: Vec<Message>,
}

/// What a table has found whose action runs.
#[derive(Clone, Copy)]
struct Found {
    /// The table, by its place in the design.
    table: usize,
    /// The entry, by its place among those of the table.
    entry: Option<usize>,
    /// What a meter of the table's entries says that meters by itself.
    colour: Colour,
}

/// Why a body ends early.
enum Stop {
    /// `exit` (§12.6).
    Exit,
    /// A parser has gone to `reject`, with this error (§13.3).
    Reject(usize),
    /// What the interpreter does not do.
    Refused(Box<Diagnostic>),
}

/// What comes of something, if nothing ends it early.
type Run<T> = Result<T, Stop>;

/// A program with its state.
pub struct Machine<'p> {
    program: &'p Program,
    sources: &'p Sources,
    design: &'p Design,
    /// All variables; those of bodies that do not run are left over.
    variables: Vec<Data>,
    /// The parser or control that runs.
    this: usize,
    /// The object whose abstract method runs.
    method_of: usize,
    /// State of externs, by their objects.
    states: Vec<State>,
    /// What tables hold, in the order of the design.
    tables: Vec<TableState>,
    /// What value sets hold, by their parsers.
    value_sets: BTreeMap<(usize, usize), Vec<Vec<Match>>>,
    /// The table that runs an action, and the entry that it has found.
    found: Option<Found>,
    /// The keys that it has looked for.
    looked_up: Vec<Data>,
    packet: packets::PacketIn,
    /// Bytes of the packet as it came in.
    arrived: usize,
    /// When it came in, in nanoseconds.
    time: u64,
    leaving: Bits,
    way: Way,
    checksum_failed: bool,
    /// The parser that was applied last has rejected the packet.
    rejected: bool,
    /// What a function of the architecture has left for its description.
    noted: u8,
    truncate: Option<usize>,
    messages: Vec<Message>,
    /// Steps that this packet may still take.
    fuel: u64,
    random: u64,
    /// The number that this packet draws from; `None`: a sequence of the machine's own.
    drawn: Option<u32>,
}

/// Steps that a packet may take: more is a loop without end.
const MOST_STEPS: u64 = 5_000_000;

impl<'p> Machine<'p> {
    /// A program before its first packet, with the entries that it has itself.
    ///
    /// # Errors
    /// `p4-unsupported`: no architecture is known for its package. `p4-constant`: as [`first_tables`].
    pub fn new(
        program: &'p Program,
        sources: &'p Sources,
        design: &'p Design,
    ) -> Result<Machine<'p>, Vec<Diagnostic>> {
        if design.architecture.is_none() {
            return Err(vec![design.unknown(program, sources)]);
        }
        Ok(Machine {
            program,
            sources,
            design,
            variables: program
                .variables
                .iter()
                .map(|one| data::zero(&program.types, &one.of))
                .collect(),
            this: 0,
            method_of: 0,
            states: design.objects.iter().map(|_| State::None).collect(),
            tables: first_tables(program, sources, design)?,
            value_sets: BTreeMap::new(),
            found: None,
            looked_up: Vec::new(),
            packet: packets::PacketIn::default(),
            arrived: 0,
            time: 0,
            leaving: Bits::default(),
            way: Way::Nowhere,
            checksum_failed: false,
            rejected: false,
            noted: 0,
            truncate: None,
            messages: Vec::new(),
            fuel: MOST_STEPS,
            random: 0x9e37_79b9_7f4a_7c15,
            drawn: None,
        })
    }

    /// What becomes of a packet that comes in at a port, `time` nanoseconds after the device was started.
    ///
    /// # Errors
    /// What the interpreter does not do.
    pub fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Outcome, Diagnostic> {
        self.packet = packets::PacketIn::of(bytes);
        self.arrived = bytes.len();
        self.time = time;
        self.leaving = Bits::default();
        self.way = Way::Nowhere;
        self.checksum_failed = false;
        (self.rejected, self.noted) = (false, 0);
        self.truncate = None;
        self.messages.clear();
        self.fuel = MOST_STEPS;
        for object in 0..self.states.len() {
            self.clear_checksum(object);
        }
        match self.run_architecture(port, bytes.len(), time) {
            Ok(()) | Err(Stop::Exit | Stop::Reject(_)) => {}
            Err(Stop::Refused(error)) => return Err(*error),
        }
        let mut leaving = std::mem::take(&mut self.leaving).into_bytes();
        leaving.extend(self.packet.rest());
        if let Some(length) = self.truncate {
            leaving.truncate(length);
        }
        Ok(Outcome {
            way: self.way,
            bytes: match self.way {
                Way::Nowhere => Vec::new(),
                _ => leaving,
            },
            messages: std::mem::take(&mut self.messages),
        })
    }

    /// What is random comes from this number, for all packets from here on: as in hardware, which is given one with each packet.
    pub fn draw_from(&mut self, number: u32) {
        self.drawn = Some(number);
    }

    /// Applies the control that describes the architecture.
    fn run_architecture(&mut self, port: u32, length: usize, time: u64) -> Run<()> {
        let design = self.design;
        let object = design.architecture.expect("it was asked for at the begin");
        let block = design.objects[object].block.expect("it is a control");
        let block = &self.program.blocks[block];
        for parameter in &block.parameters {
            let given = match parameter.name.as_str() {
                "packet" => Data::PacketIn,
                "leaving" => Data::PacketOut,
                _ => Data::Struct(vec![
                    Data::number(port),
                    Data::number(length),
                    Data::number(time),
                ]),
            };
            self.variables[parameter.variable] = given;
        }
        self.enter(object)?;
        self.body(&block.apply).map(|_| ())
    }

    /// What an object is made with, and its variables, as they are when it begins.
    fn enter(&mut self, object: usize) -> Run<()> {
        self.this = object;
        self.clear_checksums(object);
        let design = self.design;
        let of = &design.objects[object];
        for (variable, known) in &of.made {
            let data = match known {
                Known::Object(object) => Data::Object(*object),
                Known::Value(value) => {
                    let of = &self.program.variables[*variable].of;
                    data::from_value(&self.program.types, value, of)
                }
            };
            self.variables[*variable] = data;
        }
        let block = of.block.expect("only parsers and controls are entered");
        let program = self.program;
        self.statements(&program.blocks[block].locals)?;
        Ok(())
    }

    fn say(&mut self, span: Span, said: Said) {
        let place = self.sources.place(span);
        self.messages.push(Message { place, said });
    }

    fn refuse<T>(&self, span: Span, message: impl Into<String>) -> Run<T> {
        let error = self.sources.refusal(span, message);
        Err(Stop::Refused(Box::new(error)))
    }

    /// One more step.
    fn step(&mut self, span: Span) -> Run<()> {
        match self.fuel {
            0 => self.refuse(
                span,
                format!("a packet took more than {MOST_STEPS} steps: a loop without end?"),
            ),
            _ => {
                self.fuel -= 1;
                Ok(())
            }
        }
    }
}
