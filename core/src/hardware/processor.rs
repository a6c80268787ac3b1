//! The processor: everything of [`super`] put together, between the streams and the host port.
//!
//! ```text
//! s_axis ─► intake ─► packet memory ◄─► accesses ◄┐            ┌► exits ─► transmit ─► m_axis
//!             └─► threads ─► program memory ─► decoders ─► lanes ─┤
//!                    ▲                                        └► requests ─► maps
//!                    └───────────────── answers ◄─────────────────┘
//! ```
//!
//! A row is chosen, its number is there a clock later, and its words stand in stage 0 after [`FETCH`] clocks; the stages from there on are
//! those of [`super::lanes`].

mod accesses;
mod answer;
mod asks;
pub mod copies;
pub mod exits;
pub mod fit;
pub mod keeps;
mod port;
mod program;
mod puts;
mod readers;
pub mod requests;
mod shared;
mod slots;
pub mod slow;
pub mod statistics;
pub mod stream;
mod top;
mod watchdog;

use super::decode::{one_of, part};
use super::lanes::{Lanes, CUT_STAGE};
use super::packets::intake::REACH_BITS;
use super::packets::{Ring, LENGTH_BITS};
use super::Shape;
use crate::encode::layout::{self, Bits, Opcode};
use crate::image::{Image, Machine};
use crate::isa::{Action, Compute};
use crate::long::in_parts;
use hardpath_blocks::host::Long;
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::{design_id_of, Storage};
use hardpath_ir::{MapDecl, OwnInput};
use hardpath_packet::Output;
use hardpath_rtl::{signals, Module, Node};
use hardpath_state::sizes;
use slots::identifier;
pub use top::{processor, Built};

/// Clocks from the choice of a thread to stage 0.
pub const FETCH: u32 = program::FETCH_CLOCKS + 1;
/// Stages that the lanes wait for loads ([`Lanes::wait`]).
pub const WAIT: u32 = 4;

/// A core: how large it is, and what it is built for.
#[derive(Clone, PartialEq, Debug)]
pub struct Processor {
    /// Of the top module; those inside have theirs behind it.
    pub name: String,
    /// What programs know of it.
    pub machine: Machine,
    /// Its lanes, registers and threads.
    pub shape: Shape,
    /// A packet gets a thread when none has one.
    pub alone: bool,
    /// What holds packets.
    pub ring: Ring,
    /// Width of the packet streams.
    pub bus_bits: u32,
    /// A map for each slot, in the order in which programs have them.
    pub slots: Vec<MapDecl>,
    /// What enters beside packets, of the program's own.
    pub inputs: Vec<OwnInput>,
    /// What programs give with each packet.
    pub outputs: Vec<Output>,
    /// Rows after which a program is cut short.
    pub most_rows: u32,
    /// Programs may ask for the time, for random numbers, for the interface that a packet is about to leave by.
    pub has_time: bool,
    /// As above.
    pub has_random: bool,
    /// As above.
    pub has_egress: bool,
    /// Further copies that a packet can have.
    pub copies: u8,
    /// LRU maps tell what they take in and forget ([`Journal`](hardpath_blocks::interface::Journal)): only for a comparison.
    pub journal: bool,
}

signals! {
    /// The maps of programs, by the slots in which they stand. A slot in which a program has none keeps what it had: packets of the
    /// program before may be inside.
    pub struct Rooms {
        key_bytes: several "bytes of the keys of the map in a slot",
        most: several "its most entries",
    }
}

impl Rooms<u32> {
    /// In bits.
    pub fn widths(config: &Processor) -> Rooms<u32> {
        let bytes = config.slots.iter().map(|slot| {
            let bytes = u64::from(slot.entry_key_bytes());
            index_bits(bytes + 1)
        });
        let most = config.slots.iter();
        let most = most.map(|slot| index_bits(u64::from(slot.max_entries) + 1));
        Rooms {
            key_bytes: bytes.collect(),
            most: most.collect(),
        }
    }
}

signals! {
    /// What the program in a bank asks for. It stands still while packets of it are inside.
    pub struct Settings {
        front_lines: one "lines in front of a packet: those of its headroom, and of its stack",
        headroom: one "bytes in front of a packet that its program has",
        stack_first: one "the first byte of its stack",
        stack_end: one "behind the last one",
        stack_line: one "lines from byte 0 of its stack to the packet",
        tail: one "a packet's memory reaches up to this offset, or up to its end",
        shortest: one "the shortest packet, in bytes",
        longest: one "the longest packet, in bytes",
        ordered: one "a bit for each slot: packets see what others do to its map",
    }
}

impl Settings<u32> {
    /// In bits.
    pub fn widths(config: &Processor) -> Settings<u32> {
        Settings {
            front_lines: config.ring.count_bits(),
            headroom: REACH_BITS,
            stack_first: REACH_BITS,
            stack_end: REACH_BITS,
            stack_line: config.ring.count_bits(),
            tail: REACH_BITS,
            shortest: LENGTH_BITS,
            longest: LENGTH_BITS,
            ordered: config.slots.len().max(1) as u32,
        }
    }

    /// Of both banks.
    pub fn of_banks(config: &Processor) -> Vec<Settings<u32>> {
        vec![Settings::widths(config); 2]
    }
}

/// What the program in a bank asks for.
fn of_bank(
    m: &mut Module,
    settings: &[Settings],
    bank: Node,
    one: impl Fn(&Settings) -> Node,
) -> Node {
    let [first, second] = settings else {
        unreachable!("there are two banks")
    };
    m.mux(bank, one(second), one(first))
}

impl Processor {
    /// A core of so many lanes and threads for a program and those that ask for as much.
    pub fn of(name: &str, machine: &Machine, threads: u8, image: &Image) -> Processor {
        Processor {
            ring: ring_for(image),
            slots: image.maps.values().cloned().collect(),
            inputs: image.inputs.clone(),
            outputs: image.outputs.clone(),
            copies: copies::most(image).unwrap_or(0),
            ..Processor::new(name, machine, threads)
        }
    }

    /// One without slots, inputs and outputs.
    pub fn new(name: &str, machine: &Machine, threads: u8) -> Processor {
        let shape = Shape {
            threads: threads.max(2),
            registers: machine.registers,
            ..Shape::with_lanes(machine.lanes)
        };
        Processor {
            name: name.into(),
            machine: machine.clone(),
            shape,
            alone: threads == 1,
            ring: Ring::default(),
            bus_bits: 512,
            slots: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            most_rows: 1 << 24,
            has_time: true,
            has_random: true,
            has_egress: true,
            copies: 0,
            journal: false,
        }
    }

    /// Slots, packet memory and room for copies more, so that this program fits, too, where only they are missing. What fitted before still
    /// does.
    pub fn widen(&mut self, image: &Image) {
        self.ring.lines = self.ring.lines.max(ring_for(image).lines);
        self.copies = self.copies.max(copies::most(image).unwrap_or(0));
        self.slots = fit::wider(&self.slots, image);
    }

    /// What the journal of the map in a slot is called.
    fn journal_label(&self, slot: usize) -> String {
        format!("{slot}_{}", identifier(&self.slots[slot].name))
    }

    /// Packets that it works on at a time.
    pub fn threads(&self) -> u8 {
        match self.alone {
            true => 1,
            false => self.shape.threads,
        }
    }

    /// The slots of maps through which packets are broadcast.
    fn lists(&self) -> Vec<usize> {
        let slots = self.slots.iter().enumerate();
        let lists = slots.filter(|(_, decl)| decl.broadcast);
        lists.map(|(number, _)| number).collect()
    }

    fn broadcasts(&self) -> bool {
        !self.lists().is_empty()
    }

    /// Packets may leave several times.
    pub fn repeats(&self) -> bool {
        self.copies > 0 || self.broadcasts()
    }

    /// Its lanes.
    pub fn lanes(&self) -> Lanes {
        Lanes {
            shape: self.shape.clone(),
            wait: WAIT,
        }
    }

    fn row_bits(&self) -> u32 {
        index_bits(self.machine.rows.into())
    }

    fn thread_bits(&self) -> u32 {
        index_bits(self.shape.threads.into())
    }

    fn map_bits(&self) -> u32 {
        index_bits(self.slots.len().max(1) as u64)
    }

    /// Bits of all outputs.
    pub fn output_bits(&self) -> u32 {
        self.outputs.iter().map(|output| output.width).sum()
    }

    /// Words of the longest key.
    fn key_words(&self) -> u16 {
        self.words(|decl| decl.entry_key_bytes())
    }

    /// Words of the longest value that packets write whole.
    fn value_words(&self) -> u16 {
        self.words(|decl| match decl.packets_write && !in_parts(decl) {
            true => decl.value_bytes,
            false => 0,
        })
    }

    fn words(&self, bytes: impl Fn(&MapDecl) -> u32) -> u16 {
        let most = self.slots.iter().map(bytes).max().unwrap_or(0);
        most.div_ceil(8).max(1) as u16
    }

    /// Bits of the widest key, and of the widest value that the host has in registers.
    pub fn host_bits(&self) -> (u32, u32) {
        let (key_bits, _) = sizes::host_widths(self.slots.iter());
        let whole = self.slots.iter().filter(|slot| !in_parts(slot));
        let (_, value_bits) = sizes::host_widths(whole);
        (key_bits, value_bits)
    }

    /// Slots with long values.
    pub fn long(&self) -> Option<Long> {
        let slots = (0..).zip(&self.slots).filter(|(_, slot)| in_parts(slot));
        let (maps, bytes): (Vec<u32>, Vec<u32>) = slots
            .map(|(number, slot)| (number, slot.value_bytes))
            .unzip();
        let value_bytes = bytes.into_iter().max()?;
        Some(Long { maps, value_bytes })
    }

    /// Where the contents of a map stand.
    fn storage(&self, number: usize) -> Option<Storage> {
        let served = slots::config_of(self, number, &self.slots[number]);
        let instance = slots::instance(self, &served);
        let storage = served.storage()?;
        Some(storage.inside(&instance).inside("requests"))
    }

    fn slot_bits(&self) -> u32 {
        sizes::slot_bits(self.slots.iter().map(sizes::slots))
    }

    fn clear_words(&self) -> u32 {
        let slots = self.slots.iter().enumerate();
        let swept = slots.map(|(number, slot)| slots::config_of(self, number, slot).swept_words());
        swept.max().unwrap_or(0).max(2)
    }

    /// What a load must begin with: a hash of all that programs have to fit.
    pub fn identity(&self) -> u32 {
        let slots = self.slots.iter().map(|slot| {
            let kind = (slot.find, &slot.fields, slot.forgets);
            let size = (slot.key_bytes, slot.value_bytes, slot.max_entries);
            format!(
                "{kind:?} {size:?} {} {}",
                slot.packets_write, slot.broadcast
            )
        });
        let slots: Vec<String> = slots.collect();
        let outputs: Vec<u32> = self.outputs.iter().map(|output| output.width).collect();
        let copies = self.copies;
        let text = format!(
            "{:?} {:?} {slots:?} {outputs:?} {copies} {}",
            self.machine,
            self.ring,
            program::FIXED_WORDS
        );
        design_id_of(&text)
    }
}

/// The first operation for which there is no unit: its row and lane, and what it needs.
pub fn lacks(image: &Image) -> Option<(usize, u8, &'static str)> {
    let sends = copies::most(image).is_some();
    let rows = image.rows.iter().enumerate();
    let mut all =
        rows.flat_map(|(number, row)| row.operations().map(move |(lane, op)| (number, lane, op)));
    all.find_map(|(row, lane, operation)| Some((row, lane, unit(&operation.action, sends)?)))
}

/// What an operation needs that is not there. `sends`: there is room for all copies that packets can have.
fn unit(action: &Action, sends: bool) -> Option<&'static str> {
    match action {
        Action::Copy { up_to, .. } if u32::from(*up_to) > slow::MOST_COPIED => {
            Some("copies of more than 4,096 bytes")
        }
        Action::Send { .. } if !sends => Some("more than 15 further copies of a packet"),
        _ => None,
    }
}

/// Lines for as many packets as threads and streams keep busy, and for one of the longest at least.
fn ring_for(image: &Image) -> Ring {
    Ring {
        lines: Ring::default()
            .lines
            .max(lines_for(image).next_power_of_two()),
    }
}

/// Lines that the longest packet of a program takes, and some on the way.
fn lines_for(image: &Image) -> u32 {
    let body = image.limits.longest.max(image.limits.tail).div_ceil(64) + 1;
    stream::front_lines(image) + body + 2
}

/// The operation in a word is one of these.
fn is(m: &mut Module, word: Node, opcodes: &[Opcode]) -> Node {
    let codes = opcodes.iter().map(|opcode| *opcode as u64);
    let opcode = part(m, word, layout::OPCODE);
    one_of(m, opcode, codes)
}

/// The operation in a word computes what something holds for.
fn computes(m: &mut Module, word: Node, holds: impl Fn(Compute) -> bool) -> Node {
    let computes = is(m, word, &[Opcode::Compute]);
    let code = part(m, word, layout::COMPUTE);
    let codes = (0..).zip(layout::COMPUTES).filter(|(_, op)| holds(*op));
    let any = one_of(m, code, codes.map(|(code, _)| code));
    m.and(&[computes, any])
}

/// These bits of the last word alone.
fn part_of_last(m: &mut Module, last: Node, bits: Bits) -> Node {
    let lo = bits.lo - layout::LAST.lo;
    part(m, last, Bits { lo, ..bits })
}

/// How far a packet's memory reaches behind its first byte. `tail`: what its program asks for.
fn reach_of(m: &mut Module, tail: Node, length: Node) -> Node {
    let length = m.zext(length, REACH_BITS);
    let beyond = m.ult(length, tail);
    m.mux(beyond, tail, length)
}

/// Clocks from the choice of a thread to what is known of its row in stage 10.
const DECIDED_AFTER: u32 = FETCH + CUT_STAGE + 1;
