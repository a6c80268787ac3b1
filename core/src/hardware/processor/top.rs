//! The top module: all parts, wired.

mod beside;
mod devices;
mod edge;
mod entering;
mod rows;
mod units;

use super::requests::AnswerOut;
use super::stream::{Before, Load};
use super::watchdog::watchdog;
use super::{Processor, Rooms, Settings, FETCH};
use crate::hardware::lanes::CUT_STAGE;
use crate::hardware::packets::intake::GivenBack;
use crate::hardware::shift::later;
use crate::hardware::threads::LeadsIn;
use crate::image::Image;
use hardpath_blocks::axi::{FateOut, LiteIn, LiteOut, SidebandIn, StreamIn, StreamOut, TopIn};
use hardpath_blocks::hash::Evicts;
use hardpath_blocks::host::{LongIn, MapAnswer};
use hardpath_blocks::interface::{Interface, Journal, JournalOut, MapPort, Room, Turns};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{MapDecl, OwnInput};
use hardpath_packet::COUNTED_BITS;
use hardpath_registers::{Map, EVENTS};
use hardpath_rtl::signals::{numbered, Signals};
use hardpath_rtl::{signals, Design, Module, Node};
use hardpath_state::sizes;

/// Clocks from the closing of the entrance to the one in which it is seen that no packet comes in.
const SETTLES: u32 = 4;

/// A core as a design.
pub struct Built {
    /// All modules, the top among them.
    pub design: Design,
    /// What a driver must know.
    pub interface: Interface,
}

impl Built {
    /// Says what program the driver loads first, made for this core, and what packets it wants. The maps are then those of the program.
    ///
    /// # Errors
    /// Those of [`Load::new`].
    pub fn starts_with(
        &mut self,
        config: &Processor,
        image: &Image,
    ) -> Result<(), Vec<Diagnostic>> {
        let load = Load::new(config, image, Before::Reset, false)?;
        self.interface = config.interface_of(image, load);
        Ok(())
    }
}

impl Processor {
    /// What a driver must know of the core while it has this program.
    pub fn interface_of(&self, image: &Image, load: Load) -> Interface {
        let maps = image.maps.values().zip(&load.slots);
        let maps = maps.map(|(decl, slot)| self.map_port(decl, (*slot).into()));
        Interface {
            maps: maps.collect(),
            lengths: (image.limits.shortest, image.limits.longest),
            inputs: image.inputs.clone(),
            outputs: image.outputs.clone(),
            program: load.words,
            ..interface(self)
        }
    }

    /// A map in a slot.
    fn map_port(&self, decl: &MapDecl, slot: usize) -> MapPort {
        let room = &self.slots[slot];
        let sizes = |decl: &MapDecl| Room {
            key_bytes: decl.entry_key_bytes(),
            value_bytes: decl.value_bytes,
            max_entries: decl.max_entries,
        };
        MapPort {
            map: Map {
                name: decl.name.clone(),
                kind: decl.outside.clone(),
                key_bytes: decl.entry_key_bytes(),
                stored: KeyBits::all_vary(decl.entry_key_bytes()),
                value_bytes: decl.value_bytes,
                max_entries: decl.max_entries,
                slots: match decl.is_exact() {
                    true => sizes::slots(room),
                    false => sizes::slots(decl),
                },
                select: slot as u32,
            },
            journal: (self.journal && room.forgets).then(|| Journal {
                name: format!("lru_{}", self.journal_label(slot)),
                evicts: Evicts::Candidates,
                turns: Turns::End,
            }),
            storage: self.storage(slot),
            room: (sizes(room) != sizes(decl)).then(|| sizes(room)),
        }
    }
}

signals! {
    /// Out of a core.
    struct TopOut {
        s_axis_tready: one "",
        stream: all StreamOut,
        fate: all FateOut,
        lite: all LiteOut,
        /// With [`Processor::journal`], by name.
        lru: labelled JournalOut,
    }
}

/// Makes a core.
pub fn processor(config: &Processor) -> Built {
    let mut design = Design::new();
    let mut m = Module::new(config.name.clone(), contract(config));
    let inputs = m.inputs(TopIn {
        stream: StreamIn::of_beats(config.bus_bits / 8, OwnInput::bits(&config.inputs)),
        sideband: SidebandIn::of(config.has_time, config.has_random, config.has_egress),
        m_axis_tready: 1,
        lite: LiteIn::of_words(),
    });
    let mut top = Top {
        design: &mut design,
        m: &mut m,
        config,
    };
    let outputs = top.build(&inputs);
    m.outputs(outputs);
    design.add(m);
    let interface = interface(config);
    Built { design, interface }
}

fn contract(config: &Processor) -> String {
    format!(
        "Packet processor: {} lanes, {} threads, {} map slots; AXI4-Stream in and out, {} bits wide, AXI4-Lite for the host.\n\
         It behaves as if packets were processed one at a time, in the order of their arrival.\n\
         Programs are loaded through the host port; the first packet is taken when the first program runs.",
        config.shape.lanes,
        config.shape.threads,
        config.slots.len(),
        config.bus_bits
    )
}

fn interface(config: &Processor) -> Interface {
    let slots = config.slots.iter().enumerate();
    let maps = slots.map(|(number, slot)| config.map_port(slot, number));
    Interface {
        top: config.name.clone(),
        bus_bits: config.bus_bits,
        lengths: (0, 0),
        inputs: config.inputs.clone(),
        outputs: config.outputs.clone(),
        has_time: config.has_time,
        has_random: config.has_random,
        has_egress: config.has_egress,
        has_port_table: true,
        repeats: config.repeats(),
        ahead_bytes: None,
        maps: maps.collect(),
        design_id: config.identity(),
        program: Vec::new(),
    }
}

struct Top<'a> {
    design: &'a mut Design,
    m: &'a mut Module,
    config: &'a Processor,
}

/// Signals that close loops, as wires.
struct Loops {
    /// Of each bank.
    settings: Vec<Settings>,
    bank: Node,
    rooms: Rooms,
    changed_before: Node,
    clears: Node,
    swept: Node,
    host_begins: Node,
    host_works: Node,
    runs: Node,
    line_ready: Node,
    descriptor_take: Node,
    given: GivenBack,
    brought: Brought,
    answer: AnswerOut,
    answered: Node,
    gap: Node,
    leads: LeadsIn,
    leave_ready: Node,
    room: Node,
    words: Vec<Node>,
    load_begins: Node,
    load_goes: Node,
    load_clocks: Node,
    load_before: Node,
    load_valid: Node,
    load_word: Node,
    status: Node,
    fate_valid: Node,
    counted: Node,
    map_answer: MapAnswer,
    long: Option<LongIn>,
    map_prepared: Node,
    loads: Vec<Node>,
    is_still: Node,
    all_out: Node,
    empty: Node,
    stale: Node,
    guesses: Node,
    some_inside: Node,
    parks: Node,
    stores: Node,
    row: Node,
    cuts: Node,
    events: Vec<Node>,
}

/// A row of a unit, as [`super::slow`] has it.
struct Brought {
    valid: Node,
    thread: Node,
    stays: Node,
    lane: Option<Node>,
    word: Node,
}

impl Top<'_> {
    fn build(&mut self, inputs: &TopIn) -> TopOut {
        let loops = self.loops();
        self.m.section("Packets come in");
        let intake = self.intake(inputs, &loops);
        self.m.section("Threads");
        let threads = self.threads(&intake, &loops);
        let entered = threads.packet_ready;
        self.m.drive(loops.descriptor_take, entered);
        let entering = self.entering(&threads, &intake, &loops);
        self.m.section("Host port");
        let (lite, host) = self.host(inputs, &intake, entered, &loops);
        let lists = self.lists(&host, &loops);
        self.m.section("Programs");
        let program = self.program(&threads, &intake, &loops);
        self.close((&host, &intake, lists.as_ref()), &program, &loops);
        self.m.section("Rows");
        let thread = later(self.m, "row_thread", threads.chosen.thread, FETCH);
        let (begins, starts) = self.begins(&threads);
        // One that is parked comes once more.
        let goes = self.m.not(loops.parks);
        let counts = self.m.and(&[begins, goes]);
        let over = watchdog(self.m, self.config, (counts, starts), thread);
        self.m.drive(loops.row, counts);
        self.m.drive(loops.cuts, over);
        let lanes = self.lanes(&threads, (thread, begins, starts), &intake, &host, &loops);
        self.m.section("Packet and stack");
        let accesses = self.accesses(&entering, thread, &lanes, &loops);
        self.m.section("Maps");
        let thread_9 = later(self.m, "thread_to_cut", thread, CUT_STAGE);
        let job_ready = self.m.wire(1, "job_is_ready");
        let ask = self.asks(&lanes, &loops);
        let requests = self.requests(&threads, thread_9, (&lanes, &ask), &host, &loops);
        self.m.section("What takes long");
        let slow = self.slow((&threads, &entering), thread_9, &ask, &requests, &loops);
        let waits = self.m.or(&[requests.waits, slow.waits]);
        self.m.section("What is counted");
        self.statistics(
            inputs,
            (&intake, &threads),
            &requests,
            (waits, thread_9),
            &loops,
        );
        self.m.section("Where rows lead, and packets leave");
        let exits = self.exits(
            (&threads, &entering),
            (&lanes, lists),
            (thread_9, over, begins, starts),
            (&requests, waits, job_ready),
            &loops,
        );
        self.m.section("Packet memory");
        let (memory, transmit) = self.packets(inputs, &intake, &accesses, &exits, &loops);
        self.m.drive(job_ready, transmit.job_ready);
        self.late(&memory, &loops);
        TopOut {
            s_axis_tready: intake.s_axis_tready,
            stream: transmit.stream,
            fate: transmit.fate,
            lite,
            lru: requests.lru,
        }
    }

    fn wire(&mut self, name: &str, width: u32) -> Node {
        self.m.wire(width, name)
    }

    fn loops(&mut self) -> Loops {
        let config = self.config;
        let thread = config.thread_bits();
        let settings = [0, 1].map(|bank| {
            let wire = &mut |name: &str, _, width| self.m.wire(width, numbered(name, bank));
            Settings::widths(config).map(wire)
        });
        let rooms = Rooms::widths(config).map(&mut |name, _, width| self.m.wire(width, name));
        let (key_bits, value_bits) = config.host_bits();
        let map_answer = MapAnswer::of(key_bits, value_bits, config.slot_bits());
        let has_maps = !config.slots.is_empty();
        let map_answer = map_answer.map(&mut |name, _, width| match has_maps {
            true => self.m.wire(width, name),
            false => self.m.zero(width),
        });
        let long = config.long().map(|long| {
            LongIn::of(&long).map(&mut |name, _, width| self.m.wire(width, format!("moved_{name}")))
        });
        let answer = AnswerOut::widths(config).map(&mut |name, _, width| self.m.wire(width, name));
        Loops {
            settings: settings.into(),
            bank: self.wire("bank", 1),
            rooms,
            changed_before: self.wire("changed_before", config.slots.len().max(1) as u32),
            clears: self.wire("clears", config.slots.len().max(1) as u32),
            swept: self.wire("swept", config.slots.len().max(1) as u32),
            host_begins: self.wire("host_begins", config.slots.len().max(1) as u32),
            host_works: self.wire("host_works", 1),
            runs: self.wire("runs", 1),
            line_ready: self.wire("line_ready", 1),
            descriptor_take: self.wire("descriptor_take", 1),
            given: GivenBack {
                given_back: self.wire("given_back", 1),
                given_lines: self.wire("given_lines", config.ring.count_bits()),
            },
            brought: Brought {
                valid: self.wire("brought", 1),
                thread: self.wire("brought_thread", thread),
                stays: self.wire("brought_stays", 1),
                lane: config
                    .shape
                    .bank_bits()
                    .map(|bits| self.wire("brought_lane", bits)),
                word: self.wire("brought_word", 128),
            },
            answer,
            answered: self.wire("answered", 1),
            gap: self.wire("gap", 1),
            leads: LeadsIn {
                goes: self.wire("goes", 1),
                row: self.wire("goes_to", config.row_bits()),
                ends: self.wire("ends", 1),
                waits: self.wire("waits", 1),
            },
            leave_ready: self.wire("leave_ready", 1),
            room: self.wire("room_for_stores", 1),
            words: (0..config.shape.lanes)
                .map(|lane| self.wire(&format!("operation_{lane}"), 128))
                .collect(),
            load_begins: self.wire("load_begins", 1),
            load_goes: self.wire("load_goes", 1),
            load_clocks: self.wire("load_clocks", 32),
            load_before: self.wire("load_before", 32),
            load_valid: self.wire("load_valid", 1),
            load_word: self.wire("load_word", 32),
            status: self.wire("load_status", 32),
            fate_valid: self.wire("strobe_valid", 1),
            counted: self.wire("strobe_counted", COUNTED_BITS),
            map_answer,
            long,
            map_prepared: self.wire("map_prepared", 1),
            loads: (0..config.machine.loads)
                .map(|load| self.wire(&format!("loaded_{load}"), 64))
                .collect(),
            is_still: self.wire("is_still", 1),
            all_out: self.wire("all_out", 1),
            empty: self.wire("empty", 1),
            some_inside: self.wire("some_inside", 1),
            parks: self.wire("parks", 1),
            stores: self.wire("row_stores", 1),
            row: self.wire("row_counts", 1),
            cuts: self.wire("watchdog_cuts", 1),
            events: (0..EVENTS)
                .map(|event| self.wire(&format!("counts_{event}"), 1))
                .collect(),
            stale: self.wire("stale", config.shape.threads.into()),
            guesses: self.wire("guesses", config.shape.threads.into()),
        }
    }

    fn inner(&self, what: &str) -> String {
        format!("{}_{what}", self.config.name)
    }
}
