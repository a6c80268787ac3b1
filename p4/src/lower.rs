//! From a program's design to the program IR, in its structured phase: what hardware is made of.
//!
//! All calls are written out, since nothing calls itself. Each variable is a tree of values ([`node`]); where ways meet, those that differ
//! become parameters of a block ([`flow`]). States of parsers are blocks, one for each place that stacks have come to, and where in the
//! packet a parser is, is a value ([`parsers`]). What a deparser emits is put in front of what parsers left ([`emit`]).
//!
//! ```text
//! states ─► blocks, offsets      controls ─► branches, values      tables ─► tables of the IR, then a branch for each action
//! emit   ─► bytes in front, the longest first choice: header valid ? header ++ behind : behind
//! ```
//!
//! What is left open by the specification is zero, as in the interpreter.

mod builder;
mod calls;
mod control;
mod emit;
mod exclusion;
mod expressions;
mod externs;
pub mod finding;
mod flow;
mod idle;
mod kept;
pub mod layout;
mod node;
mod packets;
mod parsers;
mod places;
pub mod prefixes;
pub mod profiles;
pub mod run;
pub mod sharing;
mod state;
mod statements;
mod sums;
mod tables;

pub use control::Written;
pub use finding::{MOST_TERNARY, MOST_WIDE_RANGES, USUAL, USUAL_TERNARY};
use tables::COUNT_BYTES;

use crate::design::{Design, Known};
use crate::source::{Sources, Span};
use crate::typed::Program;
use finding::{Choice, Finding};
use flow::{Env, Frame};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir as ir;
use node::Node;
use profiles::LoweredProfile;
use sharing::{Group, Share, Shared};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a packet leaves that is put together anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Deparse {
    /// Headers are a value in front of what parsers left: a choice between two for each. For hardware of its own.
    #[default]
    Front,
    /// Headers are stored in front of what parsers left, one behind the other. For processors.
    Memory,
}

/// A program as the IR has it, with what its tables and objects have become.
#[derive(Clone, PartialEq, Debug)]
pub struct Lowered {
    /// The program.
    pub program: ir::Program,
    /// In the order of the design's tables.
    pub tables: Vec<LoweredTable>,
    /// How tables find their entries, and how they could.
    pub choices: Vec<Choice>,
    /// Memories that several tables share.
    pub shared: Vec<Shared>,
    /// Registers, counters and buckets of meters, by their objects.
    pub objects: BTreeMap<usize, ir::MapId>,
    /// Rates of meters that are arrays, by their objects.
    pub rates: BTreeMap<usize, ir::MapId>,
    /// Action profiles, by their objects.
    pub profiles: BTreeMap<usize, LoweredProfile>,
    /// Value sets, by their parsers and their places in the program.
    pub value_sets: BTreeMap<(usize, usize), ir::MapId>,
    /// What works and will disappoint: packets that are lost, and what was hardly meant.
    pub warnings: Vec<Diagnostic>,
    /// Messages that nobody hears, each with its place.
    pub unheard: Vec<Diagnostic>,
}

/// What a table has become.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LoweredTable {
    /// The table of its entries; `None`: it has none that the control plane changes.
    pub entries: Option<ir::MapId>,
    /// The array of its default action; `None`: nobody changes that.
    pub default: Option<ir::MapId>,
    /// Bits of the number of an action, at the begin of a value.
    pub action_bits: u32,
    /// Widths of arguments, for each action in the table's list; they stand behind that number.
    pub arguments: Vec<Vec<u32>>,
    /// Widths of keys.
    pub keys: Vec<u32>,
    /// In front of the action: packets and bytes that an entry has counted.
    pub counts: bool,
    /// The direct counter that counts in cells of its own, by the cell of the entry's meter: packets write no entries then.
    pub cell_counter: Option<usize>,
    /// Behind these, when an entry was last found.
    pub times: bool,
    /// Behind that, the cell of the entry's meter.
    pub meters: bool,
    /// How it finds them.
    pub finding: Finding,
    /// Bits of an entry's value behind what stands in front: its row, or what it refers to.
    pub body_bits: u32,
    /// Entries that it holds; where ranges are expanded those that it wants to hold, in as many rows as the table of the IR has.
    pub size: u32,
    /// Cells of meters and counters of its entries, one for each that can be there: with a place for each key there may be more than `size`.
    pub cells: u32,
    /// Whether a key is a range that is prefixes in the table of the IR, by the places of all keys; empty: none is.
    pub expanded: Vec<bool>,
    /// The action profile that its entries go through.
    pub profile: Option<usize>,
    /// Its part of a memory that it shares with others.
    pub share: Option<Share>,
}

/// What a table of the IR takes of hardware, in any unit; `None`: none is made of it.
pub type Weigh<'a> = &'a dyn Fn(&ir::MapDecl) -> Option<u64>;

/// Makes the IR of a program. Nothing is known of what tables take.
///
/// # Errors
/// `p4-unsupported`: what hardware does not do, with its place; `p4-entries`.
pub fn lower(
    program: &Program,
    sources: &Sources,
    design: &Design,
    deparse: Deparse,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_weighed(program, sources, design, deparse, None)
}

/// The same; of the ways in which ranges can be found the one is taken that weighs least.
///
/// # Errors
/// As [`lower`].
pub fn lower_weighed(
    program: &Program,
    sources: &Sources,
    design: &Design,
    deparse: Deparse,
    weigh: Option<Weigh<'_>>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let Some(architecture) = design.architecture else {
        return Err(vec![design.unknown(program, sources)]);
    };
    let mut ir = ir::Program::new(name_of(sources));
    ir.phase = ir::Phase::Structured;
    ir.limits.shortest = 1;
    ir.limits.stack = 0;
    let block = ir.make_block();
    let mut lower = Lower {
        program,
        sources,
        design,
        ir,
        entry: block,
        block,
        dead: false,
        env: Env::default(),
        frames: vec![Frame::default()],
        this: architecture,
        method_of: architecture,
        tables: vec![LoweredTable::default(); design.tables.len()],
        made_tables: vec![false; design.tables.len()],
        choices: Vec::new(),
        groups: Vec::new(),
        shared: Vec::new(),
        known_at: BTreeMap::new(),
        objects: BTreeMap::new(),
        rates: BTreeMap::new(),
        profiles: BTreeMap::new(),
        value_sets: BTreeMap::new(),
        places: BTreeMap::new(),
        place: None,
        found: None,
        deparse,
        weigh,
        turned: false,
        next_out: 0,
        read_into: Vec::new(),
        emitted_as_read: BTreeMap::new(),
        warnings: program.warnings.clone(),
        unheard: Vec::new(),
        errors: Vec::new(),
    };
    lower.find_groups();
    if lower.errors.is_empty() {
        lower.whole(architecture);
    }
    if !lower.errors.is_empty() {
        return Err(lower.errors);
    }
    Ok(Lowered {
        program: lower.ir,
        tables: lower.tables,
        choices: lower.choices,
        shared: lower.shared,
        objects: lower.objects,
        rates: lower.rates,
        profiles: lower.profiles,
        value_sets: lower.value_sets,
        warnings: lower.warnings,
        unheard: lower.unheard,
    })
}

/// The name of the file, without its folder and ending.
fn name_of(sources: &Sources) -> String {
    let file = std::path::Path::new(&sources.file(0).name);
    let stem = file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| "program".into())
}

/// What a table has found whose action is written.
#[derive(Clone, Copy)]
struct Found {
    /// The table, by its place in the design.
    place: usize,
    /// Whether it was found.
    hit: ir::Value,
    /// The entry, and the key that was looked for, of tables that have entries.
    entry: Option<ir::Value>,
    key: Option<ir::Value>,
    /// The cell of the entry's meter, of tables that have one.
    cell: Option<ir::Value>,
    /// What a meter of the table's entries says that meters by itself: whether the packet is yellow, and whether it is red.
    colour: Option<[ir::Value; 2]>,
}

struct Lower<'p> {
    program: &'p Program,
    sources: &'p Sources,
    design: &'p Design,
    ir: ir::Program,
    entry: ir::Block,
    /// Where instructions go.
    block: ir::Block,
    /// Nothing comes here: what is written is thrown away.
    dead: bool,
    env: Env,
    /// Ways that leave early, the outermost call first.
    frames: Vec<Frame>,
    /// The parser or control that is written.
    this: usize,
    method_of: usize,
    tables: Vec<LoweredTable>,
    made_tables: Vec<bool>,
    choices: Vec<Choice>,
    /// Tables that share a memory, and these memories.
    groups: Vec<Group>,
    shared: Vec<Shared>,
    /// What holds where ways end that meet others.
    known_at: BTreeMap<ir::Block, exclusion::Literals>,
    objects: BTreeMap<usize, ir::MapId>,
    rates: BTreeMap<usize, ir::MapId>,
    profiles: BTreeMap<usize, LoweredProfile>,
    value_sets: BTreeMap<(usize, usize), ir::MapId>,
    places: BTreeMap<(u32, u32), ir::PlaceId>,
    place: Option<ir::PlaceId>,
    /// The table whose action is written.
    found: Option<Found>,
    deparse: Deparse,
    weigh: Option<Weigh<'p>>,
    /// What was emitted has become the packet: it may begin in front of where it came in.
    turned: bool,
    /// The number of the next header that is emitted.
    next_out: usize,
    /// Where headers are read into: variables, and the parts on the way.
    read_into: Vec<(usize, Vec<usize>)>,
    /// Numbers of headers that are emitted as they were read into one of these.
    emitted_as_read: BTreeMap<usize, usize>,
    warnings: Vec<Diagnostic>,
    unheard: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
}

/// Something was refused; the error was told.
struct Refused;

type Made<T> = Result<T, Refused>;

impl Lower<'_> {
    fn refuse<T>(&mut self, span: Span, message: impl Into<String>) -> Made<T> {
        let error = self.sources.refusal(span, message);
        if self.errors.len() < crate::source::MOST_ERRORS {
            self.errors.push(error);
        }
        Err(Refused)
    }

    /// The same, with what to do.
    fn refuse_with<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Made<T> {
        let before = self.errors.len();
        let refused = self.refuse(span, message);
        if self.errors.len() > before {
            let error = self.errors.pop();
            self.errors.extend(error.map(|error| error.help(help)));
        }
        refused
    }

    /// The same, with another place that is to be looked at, and why.
    fn refuse_beside<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        (place, why): (Place, &str),
        help: impl Into<String>,
    ) -> Made<T> {
        let before = self.errors.len();
        let refused = self.refuse_with(span, message, help);
        if self.errors.len() > before {
            let error = self.errors.pop();
            self.errors
                .extend(error.map(|error| error.label(place, why)));
        }
        refused
    }

    /// The architecture's control, from a packet's begin to its end.
    fn whole(&mut self, architecture: usize) {
        let design = self.design;
        let block = design.objects[architecture].block.expect("it is a control");
        let block = &self.program.blocks[block];
        self.begin();
        for parameter in &block.parameters {
            let given = match parameter.name.as_str() {
                "packet" => Node::PacketIn,
                "leaving" => Node::PacketOut,
                _ => self.arrival(),
            };
            self.env.set(parameter.variable, given);
        }
        let run = self
            .enter(architecture)
            .and_then(|()| self.statements(&block.apply));
        if run.is_ok() && self.errors.is_empty() {
            self.end();
        }
    }

    /// What the architecture knows of a packet: port, length, time.
    fn arrival(&mut self) -> Node {
        let port = self.input(ir::Input::Ingress, 32);
        let length = self.input(ir::Input::Length, 16);
        let length = self.zext(length, 32);
        let time = self.input(ir::Input::Time, 64);
        Node::Parts(vec![Node::Bits(port), Node::Bits(length), Node::Bits(time)])
    }

    /// What an object is made with, and its variables, as they are when it begins.
    fn enter(&mut self, object: usize) -> Made<()> {
        self.this = object;
        self.clear_checksums(object);
        let (design, program) = (self.design, self.program);
        let of = &design.objects[object];
        for (variable, known) in &of.made {
            let node = match known {
                Known::Object(object) => Node::Object(*object),
                Known::Value(value) => self.node_of(value, &program.variables[*variable].of),
            };
            self.env.set(*variable, node);
        }
        let block = of.block.expect("only parsers and controls are entered");
        self.statements(&program.blocks[block].locals)
    }

    /// What a variable holds.
    fn variable(&mut self, number: usize) -> Rc<Node> {
        if let Some(node) = self.env.get(number) {
            return node;
        }
        let node = self.zero(&self.program.variables[number].of.clone());
        self.env.set(number, node);
        self.env.get(number).expect("it was set")
    }
}
