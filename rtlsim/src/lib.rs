//! Runs a [`Design`] in this process, clock by clock, as machine code that is compiled in memory.
//!
//! The way of a design: [`netlist`] (hierarchy gone, dead logic gone) → [`layout`] (where state lives) → [`lower`]
//! to [`code`] (operations on 64-bit limbs) → [`regions`] (what is skipped when idle) → [`schedule`] (order and
//! chunks) → [`machine`] (Cranelift). Foreign modules are run by their [`models`]. What each operation means is
//! written at [`hardpath_rtl::NodeOp`].
//!
//! ```
//! use hardpath_rtl::{Design, Module};
//! let mut module = Module::new("counter", "Counts the clocks.");
//! let (count, value) = module.reg_reset("count", 8, 0);
//! let next = module.add_const(value, 1);
//! module.set_next(count, next);
//! module.output("value", value, "");
//! let mut design = Design::new();
//! design.add(module);
//!
//! let mut simulator = hardpath_rtlsim::Simulator::new(&design)?;
//! let value = simulator.output("value").expect("an output");
//! for clock in 0..300 {
//!     simulator.step()?;
//!     assert_eq!(simulator.get_u64(value), clock % 256);
//! }
//! # Ok::<(), hardpath_rtlsim::SimError>(())
//! ```
//!
//! Of a design with several clocks each step says which of them have an edge ([`Simulator::step_on`]): the caller puts the edges into
//! their order in time.

#![deny(missing_docs)]

mod code;
mod layout;
mod lower;
mod machine;
mod models;
mod netlist;
mod regions;
mod schedule;

use code::mask;
use cranelift_entity::EntityRef;
use hardpath_rtl::Design;
use layout::{bytes_of, Move};
use machine::Machine;
use models::Models;
use std::collections::HashMap;
use std::sync::Arc;

/// A design that runs.
pub struct Simulator {
    /// All state, see [`layout`].
    arena: Vec<u64>,
    /// Of foreign modules.
    models: Option<Models>,
    clock_count: u64,
    compiled: Arc<Compiled>,
}

/// What all simulators of a design share.
struct Compiled {
    /// Those of the arena.
    limbs: usize,
    machine: Machine,
    moves: Vec<Move>,
    clocks: Vec<ClockData>,
    assertions: Assertions,
    inputs: HashMap<String, PortHandle>,
    outputs: HashMap<String, PortHandle>,
    places: HashMap<String, Place>,
}

/// A port of the top module: an input that can be set or an output that can be read. Belongs to the simulator that
/// gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortHandle {
    /// Index of the first limb in the arena.
    first: u32,
    width: u32,
    input: bool,
}

/// A clock of the top module. Belongs to the simulator that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockHandle(usize);

/// What the simulator knows of a clock.
struct ClockData {
    name: String,
    reset: PortHandle,
    /// What reset writes: offset in the arena, bytes.
    resets: Vec<(usize, Vec<u8>)>,
    /// The limb that says whether it has an edge; `None`: it is the only one, and has one in each step.
    edge: Option<usize>,
}

/// The words of a memory as they are now.
#[derive(Clone, Copy, Debug)]
pub struct MemoryView<'a> {
    /// One word behind the other, each in `stride` bytes, least significant first; bits above the width are 0.
    pub bytes: &'a [u8],
    /// Bytes from one word to the next.
    pub stride: usize,
    /// Bits of a word.
    pub width: u32,
}

/// Why a design cannot be run, or stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// The design breaks a rule of [`hardpath_rtl`].
    #[error("the design is malformed: {0}")]
    Malformed(String),
    /// A value depends on itself without a register between.
    #[error("combinational loop: {0}")]
    CombinationalLoop(String),
    /// More state than the simulator can address.
    #[error("the design is too large to simulate: {0}")]
    TooLarge(String),
    /// No machine code could be made.
    #[error("code generation failed: {0}")]
    Compile(String),
    /// A foreign module that something depends on has no model.
    #[error("instance {instance} is of the foreign module {module}, which has no model: give it one to simulate the design here")]
    NoModel {
        /// Hierarchical name.
        instance: String,
        /// The module's name in its text.
        module: String,
    },
    /// An assertion was 0 at a clock edge outside reset.
    #[error("assertion {name} failed at clock {clock}: {message}")]
    Assertion {
        /// Hierarchical name.
        name: String,
        /// What the assertion says.
        message: String,
        /// The value of [`Simulator::clock_count`] before the step in which it failed.
        clock: u64,
    },
}

/// Where the results of the assertions stand, as byte offsets in the arena.
struct Assertions {
    first: usize,
    all_hold: usize,
    /// Names, messages, and clocks by their index.
    texts: Vec<(String, String, usize)>,
}

/// What [`Simulator::peek`] can show and [`Simulator::poke`] change.
#[derive(Clone, Copy)]
struct Place {
    offset: usize,
    width: u32,
    /// Words behind each other; `None`: a register.
    depth: Option<u32>,
    /// Where a register's next value is stored, unless it only delays another one.
    next: Option<usize>,
}

impl Simulator {
    /// Compiles a design; its top is the last module.
    pub fn new(design: &Design) -> Result<Simulator, SimError> {
        let netlist = netlist::flatten(design)?;
        let layout = layout::lay_out(&netlist)?;
        let mut code = lower::lower(&netlist, &layout);
        let regions = regions::plan(&mut code);
        let schedule = schedule::schedule(&code, &regions, layout.end)?;
        let machine = Machine::compile(&code, &regions, &schedule)?;

        let handle = |offset: u32, width: u32, input: bool| PortHandle {
            first: offset / 8,
            width,
            input,
        };
        let clock = |(clock, (name, _)): (_, &(String, String))| ClockData {
            name: name.clone(),
            reset: handle(layout.resets[clock], 1, true),
            resets: Vec::new(),
            edge: (netlist.clocks.len() > 1).then_some(layout.edges[clock] as usize / 8),
        };
        let mut clocks: Vec<ClockData> = netlist.clocks.iter().map(clock).collect();
        let inputs = netlist.inputs.iter().zip(&layout.inputs);
        let outputs = netlist.outputs.iter().zip(&layout.outputs);
        let mut places = HashMap::new();
        for (state, data) in &netlist.states {
            let offset = layout.present[state] as usize;
            let place = Place {
                offset,
                width: data.width,
                depth: None,
                next: layout.next[state].map(|next| next as usize),
            };
            places.insert(data.name.clone(), place);
            if let Some(limbs) = &data.reset {
                let bytes = register_bytes(limbs, data.width);
                let resets = &mut clocks[data.clock.index()].resets;
                if let Some(next) = place.next {
                    resets.push((next, bytes.clone()));
                }
                resets.push((offset, bytes));
            }
        }
        for (memory, data) in &netlist.memories {
            let place = Place {
                offset: layout.memories[memory].offset as usize,
                width: data.width,
                depth: Some(data.depth),
                next: None,
            };
            places.insert(data.name.clone(), place);
        }
        let models = Models::new(&netlist, &layout, &code, &schedule);
        let resets = clocks.iter().zip(netlist.clocks.values());
        let resets = resets.map(|(clock, (_, name))| (name.clone(), clock.reset));
        let resets: Vec<_> = resets.collect();
        let compiled = Compiled {
            limbs: (schedule.end as usize).div_ceil(8),
            machine,
            moves: layout.moves,
            clocks,
            assertions: Assertions {
                first: layout.assertions as usize,
                all_hold: layout.all_hold as usize,
                texts: netlist
                    .assertions
                    .iter()
                    .map(|it| (it.name.clone(), it.message.clone(), it.clock.index()))
                    .collect(),
            },
            inputs: inputs
                .map(|((name, width), offset)| (name.clone(), handle(*offset, *width, true)))
                .chain(resets)
                .collect(),
            outputs: outputs
                .map(|((name, signal), offset)| {
                    let width = netlist.signals[*signal].width;
                    (name.clone(), handle(*offset, width, false))
                })
                .collect(),
            places,
        };
        Ok(Simulator::start(Arc::new(compiled), models))
    }

    /// Another simulator of the same design, before its first step. The machine code is shared, so it costs no more than its state.
    /// Handles of this one are good for it, too.
    pub fn fresh(&self) -> Simulator {
        let models = self.models.as_ref().map(Models::fresh);
        Simulator::start(Arc::clone(&self.compiled), models)
    }

    fn start(compiled: Arc<Compiled>, models: Option<Models>) -> Simulator {
        let mut arena = vec![0; compiled.limbs];
        for clock in &compiled.clocks {
            clock.apply_reset(&mut arena);
        }
        Simulator {
            arena,
            models,
            clock_count: 0,
            compiled,
        }
    }

    /// The clock of that name.
    pub fn clock(&self, name: &str) -> Option<ClockHandle> {
        let clock = self
            .compiled
            .clocks
            .iter()
            .position(|clock| clock.name == name);
        clock.map(ClockHandle)
    }

    /// The input of that name; `rst` is one, and so is the reset of each other clock.
    pub fn input(&self, name: &str) -> Option<PortHandle> {
        self.compiled.inputs.get(name).copied()
    }

    /// The output of that name.
    pub fn output(&self, name: &str) -> Option<PortHandle> {
        self.compiled.outputs.get(name).copied()
    }

    /// Sets an input: limbs of 64 bits, least significant first. Missing limbs are 0, bits above the width are cut off.
    ///
    /// # Panics
    /// When the port is an output.
    pub fn set(&mut self, port: PortHandle, limbs: &[u64]) {
        assert!(port.input, "only inputs can be set");
        let range = port.range();
        let places = &mut self.arena[range];
        let shared = places.len().min(limbs.len());
        places[..shared].copy_from_slice(&limbs[..shared]);
        places[shared..].fill(0);
        if let Some(top) = places.last_mut() {
            *top &= mask((port.width - 1) % 64 + 1);
        }
    }

    /// Sets the low 64 bits of an input; the others become 0.
    ///
    /// # Panics
    /// When the port is an output.
    pub fn set_u64(&mut self, port: PortHandle, value: u64) {
        self.set(port, &[value]);
    }

    /// The value of a port, in limbs: of an output as it was just before the edge of the last [`Simulator::step`]
    /// (0 before the first one), of an input as it is set.
    pub fn get(&self, port: PortHandle) -> &[u64] {
        &self.arena[port.range()]
    }

    /// The low 64 bits of [`Simulator::get`].
    pub fn get_u64(&self, port: PortHandle) -> u64 {
        self.get(port).first().copied().unwrap_or(0)
    }

    /// One clock: evaluates with the inputs as set, keeps the outputs for [`Simulator::get`], does the clock edge,
    /// and says which assertion was broken before it (unless `rst` is 1). All clocks have their edges at once.
    pub fn step(&mut self) -> Result<(), SimError> {
        for clock in &self.compiled.clocks {
            if let Some(edge) = clock.edge {
                self.arena[edge] = 1;
            }
        }
        self.evaluate()
    }

    /// The same with the edges of some of the clocks, at once; what belongs to others stays as it is. A design with one clock does
    /// nothing where that is not given.
    pub fn step_on(&mut self, clocks: &[ClockHandle]) -> Result<(), SimError> {
        for (index, clock) in self.compiled.clocks.iter().enumerate() {
            let has_edge = clocks.contains(&ClockHandle(index));
            match clock.edge {
                Some(edge) => self.arena[edge] = has_edge.into(),
                None if !has_edge => return Ok(()),
                None => {}
            }
        }
        self.evaluate()
    }

    fn evaluate(&mut self) -> Result<(), SimError> {
        let compiled = &*self.compiled;
        // SAFETY: the arena has the size that the schedule asks for, and the moves lie within it.
        unsafe {
            match &mut self.models {
                None => compiled.machine.run(self.arena.as_mut_ptr().cast()),
                Some(models) => models.run(&compiled.machine, &mut self.arena),
            }
            let arena = self.arena.as_mut_ptr().cast::<u8>();
            for Move { from, to, bytes } in &compiled.moves {
                let from = arena.add(*from as usize);
                from.copy_to(arena.add(*to as usize), *bytes as usize);
            }
        }
        self.clock_count += 1;
        if let Some(models) = &mut self.models {
            let (arena, clocks) = (&self.arena, &compiled.clocks);
            models.edge(
                arena,
                |clock| clocks[clock].has_edge(arena),
                |clock| clocks[clock].is_reset(arena),
            );
        }
        for clock in &compiled.clocks {
            if clock.is_reset(&self.arena) && clock.has_edge(&self.arena) {
                clock.apply_reset(&mut self.arena);
            }
        }
        if self.byte(compiled.assertions.all_hold) == 0 {
            return self.broken_assertion().map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// Number of steps done.
    pub fn clock_count(&self) -> u64 {
        self.clock_count
    }

    /// Present value of a register (`fifo.head`), of a synchronous read port (`fifo.words.read0`) or of a memory's word
    /// (`fifo.words[3]`), by its hierarchical name without the top's. `None`: there is no such thing, or no output or
    /// assertion depends on it.
    pub fn peek(&self, path: &str) -> Option<Vec<u64>> {
        let indexed = path
            .strip_suffix(']')
            .and_then(|path| path.rsplit_once('['));
        let (name, index) = match indexed {
            Some((name, index)) => (name, Some(index.parse::<u32>().ok()?)),
            None => (path, None),
        };
        let place = self.compiled.places.get(name)?;
        let bytes = bytes_of(place.width) as usize;
        let skip = match (place.depth, index) {
            (None, None) => 0,
            (Some(depth), Some(index)) if index < depth => bytes * index as usize,
            _ => return None,
        };
        let mut limbs = vec![0; place.width.div_ceil(64) as usize];
        for i in 0..bytes {
            limbs[i / 8] |= u64::from(self.byte(place.offset + skip + i)) << (i % 8 * 8);
        }
        Some(limbs)
    }

    /// The memory of that hierarchical name, as for [`Simulator::peek`].
    pub fn memory(&self, path: &str) -> Option<MemoryView<'_>> {
        let place = self.compiled.places.get(path)?;
        let stride = bytes_of(place.width) as usize;
        let length = stride * place.depth? as usize;
        let bytes = self.arena.as_ptr().cast::<u8>();
        assert!(place.offset + length <= self.arena.len() * 8);
        // SAFETY: the memory lies within the arena, which does not change while it is borrowed. Machine code and arena
        // have the byte order of the processors that Cranelift compiles for here: little endian.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.add(place.offset), length) };
        Some(MemoryView {
            bytes,
            stride,
            width: place.width,
        })
    }

    /// Gives a register, by its hierarchical name, another present value: limbs as for [`Simulator::set`]. False: there
    /// is no such register, or nothing depends on it.
    pub fn poke(&mut self, path: &str, limbs: &[u64]) -> bool {
        let place = self.compiled.places.get(path);
        let Some(place) = place.filter(|place| place.depth.is_none()) else {
            return false;
        };
        let bytes = register_bytes(limbs, place.width);
        // Where the value is stored unless it changes, too: a register may keep its value by not being stored.
        let offsets = [Some(place.offset), place.next];
        for offset in offsets.into_iter().flatten() {
            write_bytes(&mut self.arena, offset, &bytes);
        }
        true
    }

    /// The same for all registers of that name, in whichever instances they are. Gives how many there are.
    pub fn poke_all(&mut self, name: &str, limbs: &[u64]) -> usize {
        let is_named = |path: &&String| path.rsplit('.').next() == Some(name);
        let paths: Vec<String> = self
            .compiled
            .places
            .keys()
            .filter(is_named)
            .cloned()
            .collect();
        let changed = paths.iter().map(|path| usize::from(self.poke(path, limbs)));
        changed.sum()
    }

    /// Makes zeros of the words of all memories.
    pub fn clear_memories(&mut self) {
        for place in self.compiled.places.values() {
            let Some(depth) = place.depth else {
                continue;
            };
            let bytes = bytes_of(place.width) as usize * depth as usize;
            let (start, end) = (place.offset, place.offset + bytes);
            let (first, last) = (start.next_multiple_of(8).min(end), end / 8 * 8);
            if first < last {
                self.arena[first / 8..last / 8].fill(0);
            }
            write_bytes(&mut self.arena, start, &vec![0; first - start]);
            let rest = last.max(first);
            write_bytes(&mut self.arena, rest, &vec![0; end - rest]);
        }
    }

    fn byte(&self, offset: usize) -> u8 {
        self.arena[offset / 8].to_le_bytes()[offset % 8]
    }

    /// The first assertion that is 0 and whose clock had an edge without reset.
    fn broken_assertion(&self) -> Option<SimError> {
        let mut texts = self.compiled.assertions.texts.iter().enumerate();
        let (_, (name, message, _)) = texts.find(|(index, (.., clock))| {
            let clock = &self.compiled.clocks[*clock];
            let counts = clock.has_edge(&self.arena) && !clock.is_reset(&self.arena);
            counts && self.byte(self.compiled.assertions.first + index) == 0
        })?;
        Some(SimError::Assertion {
            name: name.clone(),
            message: message.clone(),
            clock: self.clock_count - 1,
        })
    }
}

impl ClockData {
    /// Whether it has an edge in the present step.
    fn has_edge(&self, arena: &[u64]) -> bool {
        self.edge.is_none_or(|edge| arena[edge] == 1)
    }

    fn is_reset(&self, arena: &[u64]) -> bool {
        arena[self.reset.first as usize] == 1
    }

    fn apply_reset(&self, arena: &mut [u64]) {
        for (offset, bytes) in &self.resets {
            write_bytes(arena, *offset, bytes);
        }
    }
}

impl PortHandle {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    fn range(&self) -> std::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.width.div_ceil(64) as usize
    }
}

fn write_bytes(arena: &mut [u64], offset: usize, bytes: &[u8]) {
    for (i, byte) in bytes.iter().enumerate() {
        let shift = (offset + i) % 8 * 8;
        let limb = &mut arena[(offset + i) / 8];
        *limb = *limb & !(0xff << shift) | u64::from(*byte) << shift;
    }
}

/// A register's value as it stands in the arena.
fn register_bytes(limbs: &[u64], width: u32) -> Vec<u8> {
    let limb = |i: u32| {
        let bits = width.saturating_sub(64 * i).min(64);
        limbs.get(i as usize).copied().unwrap_or(0) & mask(bits)
    };
    let bytes = bytes_of(width);
    (0..bytes.div_ceil(8))
        .flat_map(|i| limb(i).to_le_bytes())
        .take(bytes as usize)
        .collect()
}

const _: () = {
    const fn may_cross_threads<T: Send>() {}
    may_cross_threads::<Simulator>();
};
