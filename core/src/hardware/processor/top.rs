//! The top module: all parts, wired.

use super::accesses::{accesses, AccessLaneIn, AccessesIn, AccessesOut, EntersIn};
use super::exits::{exits, ExitLaneIn, ExitsIn, ExitsOut, PutWordIn};
use super::port::{port, PortIn, PortOut};
use super::program::{program, ProgramIn, ProgramOut};
use super::requests::{requests, HostAsksIn, RequestLaneIn, RequestsIn, RequestsOut};
use super::slow::{slow, SlowIn, SlowLaneIn, SlowOut};
use super::watchdog::watchdog;
use super::{Processor, Settings, DECIDED_AFTER, FETCH};
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::{decode, DecodeIn};
use crate::hardware::lanes::{lanes_in, LanesIn, LanesOut, LateIn, CUT_STAGE, OPERAND_STAGE};
use crate::hardware::operand::{operand, FieldIn, OperandIn};
use crate::hardware::packets::intake::{intake, GivenBack, Intake, IntakeIn, IntakeOut, LimitsIn};
use crate::hardware::packets::memory::{
    memory, Memory, MemoryIn, MemoryOut, LOAD_CLOCKS, STORE_CLOCKS,
};
use crate::hardware::packets::transmit::{transmit, Transmit, TransmitIn, TransmitOut};
use crate::hardware::pick::Pick;
use crate::hardware::predicates::update_clocks;
use crate::hardware::product::{product, ProductIn, PRODUCT_CLOCKS};
use crate::hardware::shift::{later, upto};
use crate::hardware::threads::{threads, LeadsIn, Threads, ThreadsIn, ThreadsOut};
use crate::isa::{Compute, PREDICATES};
use hardpath_blocks::axi::{FateOut, LiteIn, LiteOut, SidebandIn, StreamIn, StreamOut};
use hardpath_blocks::counters::choose;
use hardpath_blocks::host::{host, Host, HostIn, HostOut, MapAnswer};
use hardpath_blocks::interface::{Interface, MapPort};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_ir::OwnInput;
use hardpath_packet::COUNTED_BITS;
use hardpath_registers::Map;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};

/// Clocks from what a program asks for to what the intake makes of it.
const SETTLES: u32 = 4;

/// A core as a design.
pub struct Built {
    /// All modules, the top among them.
    pub design: Design,
    /// What a driver must know.
    pub interface: Interface,
}

signals! {
    /// Into a core.
    struct TopIn {
        stream: all StreamIn,
        sideband: all SidebandIn,
        m_axis_tready: one "",
        lite: all LiteIn,
    }
}

signals! {
    /// Out of a core.
    struct TopOut {
        s_axis_tready: one "",
        stream: all StreamOut,
        fate: all FateOut,
        lite: all LiteOut,
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
    let entries = config.entries();
    let slots = config.slots.iter().zip(entries).enumerate();
    let maps = slots.map(|(number, (decl, slots))| MapPort {
        map: Map {
            name: decl.name.clone(),
            kind: decl.outside.clone(),
            key_bytes: decl.entry_key_bytes(),
            stored: KeyBits::all_vary(decl.entry_key_bytes()),
            value_bytes: decl.value_bytes,
            max_entries: decl.max_entries,
            slots,
        },
        journal: None,
        storage: config.storage(number),
    });
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
        repeats: false,
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
    settings: Settings,
    runs: Node,
    closes: Node,
    line_ready: Node,
    descriptor_take: Node,
    given: GivenBack,
    answer_valid: Node,
    answer_thread: Node,
    answer_stays: Node,
    answer_lane: Option<Node>,
    answer_word: Node,
    leads: LeadsIn,
    leave_ready: Node,
    room: Node,
    words: Vec<Node>,
    load_begins: Node,
    load_valid: Node,
    load_word: Node,
    status: Node,
    fate_valid: Node,
    counted: Node,
    map_answer: MapAnswer,
    map_prepared: Node,
    loads: Vec<Node>,
    is_still: Node,
    empty: Node,
    stale: Node,
    guesses: Node,
    some_inside: Node,
    parks: Node,
    stores: Node,
    /// The thread that the next packet gets.
    entering: Node,
}

impl Top<'_> {
    fn build(&mut self, inputs: &TopIn) -> TopOut {
        let loops = self.loops();
        self.m.section("Packets come in");
        let intake = self.intake(inputs, &loops);
        self.m.section("Threads");
        let threads = self.threads(&intake, &loops);
        let entered = self.m.and(&[threads.packet_ready, intake.descriptor_valid]);
        let open = self.open(&loops);
        let entered = self.m.and(&[entered, open]);
        self.m.name(entered, "enters");
        self.m.drive(loops.descriptor_take, entered);
        self.m.section("Host port");
        let (lite, host) = self.host(inputs, &intake, entered, &loops);
        self.m.section("Programs");
        let program = self.program(&threads, &loops);
        self.close((&host, &intake), &program, &threads, &loops);
        self.m.section("Rows");
        let thread = later(self.m, "row_thread", threads.chosen.thread, FETCH);
        let (begins, starts) = self.begins(&threads);
        // One that is parked comes once more.
        let goes = self.m.not(loops.parks);
        let counts = self.m.and(&[begins, goes]);
        let over = watchdog(self.m, self.config, (counts, starts), thread);
        let lanes = self.lanes(
            &threads,
            (thread, begins, starts),
            &intake,
            entered,
            &host,
            &loops,
        );
        self.m.section("Packet and stack");
        let accesses = self.accesses(&threads, &intake, entered, thread, &lanes, &loops);
        self.m.section("Maps");
        let thread_9 = later(self.m, "thread_to_cut", thread, CUT_STAGE);
        let job_ready = self.m.wire(1, "job_is_ready");
        let requests = self.requests(&threads, entered, thread_9, &lanes, &host, &loops);
        self.m.section("What takes long");
        let slow = self.slow(
            (&threads, &intake, entered),
            thread_9,
            &lanes,
            &requests,
            &loops,
        );
        let waits = self.m.or(&[requests.waits, slow.waits]);
        self.m.section("Where rows lead, and packets leave");
        let exits = self.exits(
            (&threads, &intake, entered),
            (thread_9, over),
            &lanes,
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
        }
    }

    fn wire(&mut self, name: &str, width: u32) -> Node {
        self.m.wire(width, name)
    }

    fn loops(&mut self) -> Loops {
        let config = self.config;
        let thread = config.thread_bits();
        let settings = Settings::widths(config).map(&mut |name, _, width| self.m.wire(width, name));
        let (key_bits, value_bits) = config.host_bits();
        let map_answer = MapAnswer::of(key_bits, value_bits, config.slot_bits());
        let has_maps = !config.slots.is_empty();
        let map_answer = map_answer.map(&mut |name, _, width| match has_maps {
            true => self.m.wire(width, name),
            false => self.m.zero(width),
        });
        Loops {
            settings,
            runs: self.wire("runs", 1),
            closes: self.wire("closes", 1),
            line_ready: self.wire("line_ready", 1),
            descriptor_take: self.wire("descriptor_take", 1),
            given: GivenBack {
                given_back: self.wire("given_back", 1),
                given_lines: self.wire("given_lines", config.ring.count_bits()),
            },
            answer_valid: self.wire("answer_valid", 1),
            answer_thread: self.wire("answer_thread", thread),
            answer_stays: self.wire("answer_stays", 1),
            answer_lane: config
                .shape
                .bank_bits()
                .map(|bits| self.wire("answer_lane", bits)),
            answer_word: self.wire("answer_word", 128),
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
            load_valid: self.wire("load_valid", 1),
            load_word: self.wire("load_word", 32),
            status: self.wire("load_status", 32),
            fate_valid: self.wire("strobe_valid", 1),
            counted: self.wire("strobe_counted", COUNTED_BITS),
            map_answer,
            map_prepared: self.wire("map_prepared", 1),
            loads: (0..config.machine.loads)
                .map(|load| self.wire(&format!("loaded_{load}"), 64))
                .collect(),
            is_still: self.wire("is_still", 1),
            empty: self.wire("empty", 1),
            some_inside: self.wire("some_inside", 1),
            parks: self.wire("parks", 1),
            stores: self.wire("row_stores", 1),
            stale: self.wire("stale", config.shape.threads.into()),
            guesses: self.wire("guesses", config.shape.threads.into()),
            entering: self.wire("entering", thread),
        }
    }

    fn inner(&self, what: &str) -> String {
        format!("{}_{what}", self.config.name)
    }

    fn intake(&mut self, inputs: &TopIn, loops: &Loops) -> IntakeOut {
        let config = Intake {
            name: self.inner("intake"),
            ring: self.config.ring,
            beat_bytes: self.config.bus_bits / 8,
            descriptors: 16,
            has_time: self.config.has_time,
            has_random: self.config.has_random,
            has_egress: self.config.has_egress,
            own_bits: OwnInput::bits(&self.config.inputs),
        };
        let settings = &loops.settings;
        let ports = IntakeIn {
            stream: inputs.stream.clone(),
            sideband: inputs.sideband.clone(),
            limits: LimitsIn {
                headroom_lines: settings.front_lines,
                tail: settings.tail,
                shortest: settings.shortest,
                longest: settings.longest,
            },
            running: loops.runs,
            given: loops.given.clone(),
            line_ready: loops.line_ready,
            descriptor_take: loops.descriptor_take,
        };
        let block = intake(self.design, &config);
        block.place(self.design, self.m, "intake", ports).out
    }

    fn threads(&mut self, intake: &IntakeOut, loops: &Loops) -> ThreadsOut {
        let lanes = self.config.lanes();
        let config = Threads {
            threads: self.config.shape.threads,
            row_bits: self.config.row_bits(),
            decided_after: DECIDED_AFTER,
            // The next row begins two clocks behind the one in which registers are written.
            ready_after: (lanes.write_stage() + 2).saturating_sub(DECIDED_AFTER + 1),
            done_after: 3 * u32::from(self.config.machine.stores) + STORE_CLOCKS,
        };
        let open = self.open(loops);
        let packet_valid = self.m.and(&[intake.descriptor_valid, open]);
        let first_row = self.m.zero(self.config.row_bits());
        let held = self.m.not(loops.room);
        let ports = ThreadsIn {
            packet_valid,
            first_row,
            brought_valid: loops.answer_valid,
            brought_thread: loops.answer_thread,
            brought_stays: loops.answer_stays,
            leads: loops.leads.clone(),
            leave_ready: loops.leave_ready,
            held,
            stale: loops.stale,
        };
        let block = threads(&self.inner("threads"), &config);
        let out = block.place(self.design, self.m, "threads", ports).out;
        let some = self.m.reduce_or(out.packets);
        self.m.drive(loops.some_inside, some);
        out
    }

    /// Packets get threads.
    fn open(&mut self, loops: &Loops) -> Node {
        let m = &mut *self.m;
        let closes = match self.config.alone {
            true => m.or(&[loops.closes, loops.some_inside]),
            false => loops.closes,
        };
        m.not(closes)
    }

    fn host(
        &mut self,
        inputs: &TopIn,
        intake: &IntakeOut,
        entered: Node,
        loops: &Loops,
    ) -> (LiteOut, HostOut) {
        let (key_bits, value_bits) = self.config.host_bits();
        let block = host(&Host {
            name: self.inner("host"),
            design_id: self.config.identity(),
            maps: self.config.slots.len() as u32,
            key_bits,
            value_bits,
            slot_bits: self.config.slot_bits(),
            has_port_table: true,
            prepares: true,
            clear_words: self.config.clear_words(),
        });
        let told = LiteIn::of_words()
            .map(&mut |name, _, width| self.m.wire(width, format!("registers_{name}")));
        let ports = HostIn {
            lite: told.clone(),
            packet_in: self.m.delay_reset("packet_enters", entered),
            dropped_bad: intake.dropped_bad,
            dropped_length: intake.dropped_length,
            fate_valid: loops.fate_valid,
            counted: loops.counted,
            answer: loops.map_answer.clone(),
            map_prepared: Some(loops.map_prepared),
            early_port: Some(intake.descriptor.packet_port),
        };
        let host = block.place(self.design, self.m, "host", ports).out;
        let ports = PortIn {
            lite: inputs.lite.clone(),
            inner: vec![("registers".into(), host.lite.clone())],
            status: loops.status,
        };
        let split = port(&self.inner("port"));
        let PortOut {
            lite,
            inner,
            load_begins,
            load_valid,
            load_word,
        } = split.place(self.design, self.m, "port", ports).out;
        let mut nodes = Vec::new();
        inner[0].1.clone().map(&mut |_, _, node| nodes.push(node));
        let mut nodes = nodes.into_iter();
        told.map(&mut |_, _, wire| {
            let node = nodes.next().expect("a node for each wire");
            self.m.drive(wire, node);
        });
        self.m.drive(loops.load_begins, load_begins);
        self.m.drive(loops.load_valid, load_valid);
        self.m.drive(loops.load_word, load_word);
        (lite, host)
    }

    fn program(&mut self, threads: &ThreadsOut, loops: &Loops) -> ProgramOut {
        let brought = threads.chosen.brought;
        let own = self.m.not(brought);
        let own = self.m.and(&[threads.chosen.chosen, own]);
        let mut until = |name: &str, node: Node| {
            let node = self.m.delay_reset(format!("{name}_1"), node);
            self.m.delay_reset(format!("{name}_2"), node)
        };
        let (row_valid, answer_valid) = (until("row_valid", own), until("answer_here", brought));
        let may_store = self.may_store(threads, loops);
        let ports = ProgramIn {
            row: threads.chosen.fetched,
            row_valid,
            may_store,
            answer_valid,
            answer_lane: loops.answer_lane,
            answer_word: loops.answer_word,
            load_begins: loops.load_begins,
            load_valid: loops.load_valid,
            load_word: loops.load_word,
            empty: loops.empty,
        };
        let block = program(self.config);
        let out = block.place(self.design, self.m, "program", ports).out;
        for (wire, word) in loops.words.iter().zip(&out.words) {
            self.m.drive(*wire, *word);
        }
        self.m.drive(loops.status, out.status);
        self.m.drive(loops.parks, out.parks);
        self.m.drive(loops.stores, out.stores);
        let mut nodes = Vec::new();
        out.settings.clone().map(&mut |_, _, node| nodes.push(node));
        let mut nodes = nodes.into_iter();
        loops.settings.clone().map(&mut |_, _, wire| {
            let node = nodes.next().expect("a node for each wire");
            self.m.drive(wire, node);
        });
        out
    }

    /// In stage -1: the row's packet is the oldest one, or has read nothing that others may change.
    fn may_store(&mut self, threads: &ThreadsOut, loops: &Loops) -> Node {
        let m = &mut *self.m;
        let all = u32::from(self.config.shape.threads);
        let thread = later(m, "thread_that_stores", threads.chosen.thread, FETCH - 2);
        let mut of = |flags: Node| {
            let flags: Vec<Node> = (0..all).map(|bit| m.bit(flags, bit)).collect();
            choose(m, &flags, thread)
        };
        let (guesses, stale) = (of(loops.guesses), of(threads.is_stale));
        let is_oldest = m.eq(thread, threads.oldest);
        let sure = m.not(stale);
        let surely = m.and(&[is_oldest, sure]);
        let nothing = m.not(guesses);
        let may = m.or(&[surely, nothing]);
        m.delay("may_store", may)
    }

    /// No packet gets a thread while the host's operation waits for those inside to leave, and none is taken in while another program
    /// does.
    fn close(
        &mut self,
        (host, intake): (&HostOut, &IntakeOut),
        program: &ProgramOut,
        threads: &ThreadsOut,
        loops: &Loops,
    ) {
        let m = &mut *self.m;
        let (asks_reg, asks) = m.reg_reset("host_asks", 1, 0);
        let starts = host.question.map_start.expect("maps are prepared");
        let over = m.not(loops.map_answer.map_done);
        let stays = m.and(&[asks, over]);
        let next = m.or(&[starts, stays]);
        m.set_next(asks_reg, next);
        m.drive(loops.closes, asks);
        let closes = asks;
        // The intake lays packets out as the program that runs wants it, so another one waits until it has none. It looks at what the new
        // one wants through registers.
        let open = m.not(program.wants);
        let open = m.and(&[program.runs, open]);
        let settled = (0..SETTLES).fold(open, |node, clock| {
            m.delay_reset(format!("settled_{clock}"), node)
        });
        let running = m.and(&[open, settled]);
        m.drive(loops.runs, running);
        let all_out = m.and(&[intake.idle, loops.is_still]);
        let not_running = m.not(settled);
        let empty = m.and(&[all_out, not_running]);
        m.drive(loops.empty, empty);
        // What has got a thread in the clock before is counted.
        let closed = m.delay_reset("closed", closes);
        let some = m.reduce_or(threads.packets);
        let none = m.not(some);
        let empty = m.and(&[closed, none]);
        let prepared = m.and(&[empty, asks, loops.is_still]);
        m.drive(loops.map_prepared, prepared);
    }

    /// In stage 0: a row of the program begins; it is its packet's first one.
    fn begins(&mut self, threads: &ThreadsOut) -> (Node, Node) {
        let m = &mut *self.m;
        let own = m.not(threads.chosen.brought);
        let own = m.and(&[threads.chosen.chosen, own]);
        let begins = (0..FETCH).fold(own, |node, clock| {
            m.delay_reset(format!("row_begins_{clock}"), node)
        });
        let starts = later(m, "packet_starts", threads.chosen.starts, FETCH);
        (begins, starts)
    }

    fn lanes(
        &mut self,
        threads: &ThreadsOut,
        (thread, begins, starts): (Node, Node, Node),
        intake: &IntakeOut,
        entered: Node,
        host: &HostOut,
        loops: &Loops,
    ) -> LanesOut {
        let lanes = self.config.lanes();
        let shape = &self.config.shape;
        let predicates = self.m.wire(PREDICATES.into(), "predicates_next_wire");
        let read = self.predicates((threads, thread), (begins, starts), predicates);
        let a: Vec<Node> = (0..shape.lanes)
            .map(|lane| self.m.wire(64, format!("operand_a_{lane}")))
            .collect();
        let b: Vec<Node> = (0..shape.lanes)
            .map(|lane| self.m.wire(64, format!("operand_b_{lane}")))
            .collect();
        let given = self.given(thread, intake, entered, host, loops);
        let product = self.product((&a, &b), loops);
        let mut all = Vec::new();
        for lane in 0..usize::from(shape.lanes) {
            let word = loops.words[lane];
            let block = decode(&self.inner("decode"), shape);
            let decoded = block
                .place_another(
                    self.design,
                    self.m,
                    format!("decode_{lane}"),
                    DecodeIn { word },
                )
                .out;
            let late = self.late_of(lane, word, &given, &product, loops);
            all.push(decoded.with(late));
        }
        let ports = LanesIn {
            thread,
            starts: shape.zeros.then_some(starts),
            predicates: read,
            lanes: all,
        };
        let block = lanes_in(self.design, &self.inner("lanes"), &lanes);
        let mut out = block.place(self.design, self.m, "lanes", ports).out;
        self.m.drive(predicates, out.predicates_next);
        // What was under way when a reset came does not happen any more.
        let alive = (0..FETCH + CUT_STAGE).fold(threads.chosen.chosen, |node, clock| {
            self.m.delay_reset(format!("alive_{clock}"), node)
        });
        for node in out.active.iter_mut().chain(&mut out.taken) {
            *node = self.m.and(&[*node, alive]);
        }
        for (wire, node) in a.iter().chain(&b).zip(out.a.iter().chain(&out.b)) {
            self.m.drive(*wire, *node);
        }
        out
    }

    /// The predicates of a row's thread, in stage 5; `next`: what the row makes of them.
    fn predicates(
        &mut self,
        (threads, thread): (&ThreadsOut, Node),
        (begins, starts): (Node, Node),
        next: Node,
    ) -> Node {
        let lanes = self.config.lanes();
        let m = &mut *self.m;
        let clocks = lanes.late_stage() + update_clocks(self.config.shape.lanes);
        let mem = m.mem(
            "predicates",
            PREDICATES.into(),
            self.config.shape.threads.into(),
            MemStyle::Distributed,
        );
        let any = (0..FETCH).fold(threads.chosen.chosen, |node, clock| {
            m.delay_reset(format!("any_row_{clock}"), node)
        });
        let writes = (0..clocks).fold(any, |node, clock| {
            m.delay_reset(format!("writes_predicates_{clock}"), node)
        });
        let at = later(m, "thread_of_predicates", thread, clocks);
        m.mem_write(mem, at, next, writes);
        let stage = OPERAND_STAGE - 2;
        let at = later(m, "thread_that_asks", thread, stage);
        let found = m.mem_read_async(mem, at);
        let first = m.and(&[begins, starts]);
        let first = later(m, "first_row", first, stage);
        let old = m.not(first);
        let found = m.gate(old, found);
        m.delay("predicates_of_row", found)
    }

    /// What enters beside packets: of the row's only operation that asks for it, in stage L.
    fn given(
        &mut self,
        thread: Node,
        intake: &IntakeOut,
        entered: Node,
        host: &HostOut,
        loops: &Loops,
    ) -> Given {
        let stage = self.config.lanes().late_stage();
        let threads = self.config.shape.threads.into();
        let at = loops.entering;
        let m = &mut *self.m;
        let descriptor = &intake.descriptor;
        let ports = host.ports.as_ref().expect("there is a port table");
        let queue = m.resize(descriptor.packet_queue, m.width(ports.port_queue));
        let queue = m.add(queue, ports.port_queue);
        let kinds: Vec<Node> = loops
            .words
            .iter()
            .map(|word| super::is(m, *word, &[Opcode::Input]))
            .collect();
        let pick = Pick::nth(m, &kinds, 0).later(m, "input", 1);
        let part = |m: &mut Module, name: &str, bits: layout::Bits, stage: u32| {
            let parts = loops.words.iter().enumerate().map(|(lane, word)| {
                let part = m.slice(*word, bits.lo.into(), bits.width.into());
                m.delay(format!("{name}_of_{lane}"), part)
            });
            let parts: Vec<Node> = parts.collect();
            let part = pick.of(m, &parts);
            later(m, name, part, stage - 1)
        };
        // In the order of their codes; what a core does not have is zeros.
        let words = [
            Some(descriptor.packet_length),
            Some(ports.port_interface),
            Some(queue),
            descriptor.packet_egress,
            descriptor.packet_time_ns,
            descriptor.packet_random,
        ];
        let read_at = later(m, "thread_of_input", thread, stage - 5);
        let kept = |m: &mut Module, name: &str, word: Node| {
            let mem = m.mem(name, m.width(word), threads, MemStyle::Distributed);
            m.mem_write(mem, at, word, entered);
            let found = m.mem_read_async(mem, read_at);
            m.delay(format!("{name}_read"), found)
        };
        let names = ["length", "interface", "queue", "egress", "time", "random"];
        let mut values = Vec::new();
        for (name, word) in names.into_iter().zip(words) {
            values.push(match word {
                Some(word) => {
                    let found = kept(m, &format!("given_{name}"), word);
                    m.zext(found, 64)
                }
                None => m.zero(64),
            });
        }
        let code = part(m, "input_code", layout::INPUT, stage - 4);
        let value = choose(m, &values, code);
        let value = later(m, "input_value", value, 4);
        let value = match descriptor.packet_own {
            Some(own) => {
                let own = kept(m, "given_own", own);
                let own_value = m.zext(own, 64);
                let field_lo = part(m, "own_lo", layout::OWN_LO, stage - 5);
                let field_top = part(m, "own_top", layout::OWN_WIDTH, stage - 5);
                let zero = m.zero(1);
                let number = m.zero(64);
                let ports = OperandIn {
                    field: FieldIn {
                        field_lo,
                        field_top,
                        field_swapped: zero,
                        field_signed: zero,
                    },
                    value: own_value,
                    number,
                };
                let is_own = m.eq_const(code, layout::INPUTS.len() as u64);
                let is_own = later(m, "is_own", is_own, 4);
                let name = format!("{}_own", self.config.name);
                let found = operand(&name)
                    .place(self.design, m, "own", ports)
                    .out
                    .operand;
                m.mux(is_own, found, value)
            }
            None => value,
        };
        Given { value }
    }

    fn product(&mut self, (a, b): (&[Node], &[Node]), loops: &Loops) -> Node {
        let m = &mut *self.m;
        let kinds: Vec<Node> = loops
            .words
            .iter()
            .map(|word| multiplies(m, *word))
            .collect();
        let pick = Pick::nth(m, &kinds, 0).later(m, "product", OPERAND_STAGE);
        let width = loops.words.iter().enumerate().map(|(lane, word)| {
            let part = m.slice(*word, layout::WIDTH.lo.into(), layout::WIDTH.width.into());
            later(m, &format!("product_width_{lane}"), part, OPERAND_STAGE)
        });
        let widths: Vec<Node> = width.collect();
        let width = pick.of(m, &widths);
        let stage = self.config.lanes().late_stage();
        let top = later(m, "product_top", width, stage - OPERAND_STAGE - 1);
        let mask = upto(m, top);
        let mask = m.delay("product_mask", mask);
        let [a, b] = [a, b].map(|all| pick.of(m, all));
        let (a, b) = (m.delay("product_a", a), m.delay("product_b", b));
        let block = product(&format!("{}_product", self.config.name));
        let found = block
            .place(self.design, m, "product", ProductIn { a, b })
            .out
            .product;
        let found = later(
            m,
            "product_late",
            found,
            stage - OPERAND_STAGE - 1 - PRODUCT_CLOCKS,
        );
        m.and(&[found, mask])
    }

    fn late_of(
        &mut self,
        lane: usize,
        word: Node,
        given: &Given,
        product: &Node,
        loops: &Loops,
    ) -> LateIn {
        let stage = self.config.lanes().late_stage();
        let m = &mut *self.m;
        let loads = super::is(m, word, &[Opcode::Load]);
        let asks = super::is(m, word, &[Opcode::Input]);
        let multiplies = multiplies(m, word);
        let late = m.or(&[loads, asks, multiplies]);
        let late = later(m, &format!("late_{lane}"), late, stage);
        let bits = hardpath_blocks::index_bits(loops.loads.len() as u64 + 2);
        let others = loops.loads.len() as u64;
        let of_input = m.constant(others, bits);
        let of_product = m.constant(others + 1, bits);
        let from = m.mux(asks, of_input, of_product);
        // Which load it is: as many as there are in earlier lanes.
        let earlier: Vec<Node> = loops.words[..lane]
            .iter()
            .map(|word| super::is(m, *word, &[Opcode::Load]))
            .collect();
        let mut count = m.zero(bits);
        for is in earlier {
            let one = m.zext(is, bits);
            count = m.add(count, one);
        }
        let from = m.mux(loads, count, from);
        let from = later(m, &format!("late_from_{lane}"), from, stage);
        let sources: Vec<Node> = loops
            .loads
            .iter()
            .copied()
            .chain([given.value, *product])
            .collect();
        let value = choose(m, &sources, from);
        let opcode = m.slice(word, 0, layout::OPCODE.width.into());
        let answers = m.eq_const(opcode, layout::ANSWER);
        let hit = m.bit(word, layout::IS_HIT.lo.into());
        LateIn {
            late,
            late_value: value,
            late_hit: later(m, &format!("answers_{lane}"), answers, stage),
            hit: later(m, &format!("hit_{lane}"), hit, stage),
        }
    }

    fn accesses(
        &mut self,
        threads: &ThreadsOut,
        intake: &IntakeOut,
        entered: Node,
        thread: Node,
        lanes: &LanesOut,
        loops: &Loops,
    ) -> AccessesOut {
        let all = loops
            .words
            .iter()
            .enumerate()
            .map(|(lane, word)| AccessLaneIn {
                word: *word,
                a: lanes.a[lane],
                b: lanes.b[lane],
                active: lanes.active[lane],
            });
        let ports = AccessesIn {
            settings: loops.settings.clone(),
            enters: EntersIn {
                enters: entered,
                enters_thread: threads.packet_thread,
                enters_line: intake.descriptor.packet_line,
                enters_length: intake.descriptor.packet_length,
            },
            thread,
            lanes: all.collect(),
        };
        self.m.drive(loops.entering, threads.packet_thread);
        let block = accesses(self.config);
        block.place(self.design, self.m, "accesses", ports).out
    }

    fn requests(
        &mut self,
        threads: &ThreadsOut,
        entered: Node,
        thread_9: Node,
        lanes: &LanesOut,
        host: &HostOut,
        loops: &Loops,
    ) -> RequestsOut {
        let all = loops
            .words
            .iter()
            .enumerate()
            .map(|(lane, word)| RequestLaneIn {
                word: *word,
                a: lanes.a[lane],
                b: lanes.b[lane],
                active: lanes.active[lane],
            });
        let inside = self.m.reduce_or(threads.packets);
        let stores_9 = (0..CUT_STAGE).fold(loops.stores, |node, clock| {
            self.m.delay_reset(format!("stores_{clock}"), node)
        });
        let leaves = self.m.and(&[threads.leave_valid, loops.leave_ready]);
        let has_maps = !self.config.slots.is_empty();
        let ports = RequestsIn {
            settings: loops.settings.clone(),
            lanes: all.collect(),
            thread_9,
            stores_9,
            enters: entered,
            enters_thread: threads.packet_thread,
            oldest: threads.oldest,
            some_inside: inside,
            done: threads.leave_valid,
            leaves,
            is_stale: threads.is_stale,
            restarts: threads.restarts,
            host: has_maps.then(|| HostAsksIn {
                host_inject: host.inject,
                question: host.question.clone(),
            }),
        };
        let block = requests(self.design, self.config);
        let out = block.place(self.design, self.m, "requests", ports).out;
        if let Some(answer) = &out.host {
            let mut nodes = Vec::new();
            answer.clone().map(&mut |_, _, node| nodes.push(node));
            let mut nodes = nodes.into_iter();
            loops.map_answer.clone().map(&mut |_, _, wire| {
                let node = nodes.next().expect("a node for each wire");
                self.m.drive(wire, node);
            });
        }
        self.m.drive(loops.stale, out.stale);
        self.m.drive(loops.guesses, out.guesses);
        let none = self.m.not(inside);
        let still = self.m.and(&[none, out.still]);
        self.m.drive(loops.is_still, still);
        out
    }

    /// What comes back: first of the maps, then of what takes long.
    fn answers(&mut self, requests: &RequestsOut, slow: &SlowOut, ready: Node, loops: &Loops) {
        let m = &mut *self.m;
        let of_maps = requests.answer_valid;
        let others = m.not(of_maps);
        m.drive(ready, others);
        let valid = m.or(&[of_maps, slow.brought_valid]);
        m.drive(loops.answer_valid, valid);
        let thread = m.mux(of_maps, requests.answer_thread, slow.brought_thread);
        m.drive(loops.answer_thread, thread);
        let stays = m.and(&[others, slow.brought_stays]);
        m.drive(loops.answer_stays, stays);
        // Words come two clocks behind.
        let of_maps = later(m, "answer_of_map", of_maps, 2);
        let word = later(m, "word_of_slow", slow.brought_word, 2);
        let word = m.mux(of_maps, requests.answer_word, word);
        m.drive(loops.answer_word, word);
        if let Some(wire) = loops.answer_lane {
            let [of_map, of_slow] = [requests.answer_lane, slow.brought_lane]
                .map(|lane| lane.expect("there are several lanes"));
            let lane = later(m, "lane_of_slow", of_slow, 2);
            let lane = m.mux(of_maps, of_map, lane);
            m.drive(wire, lane);
        }
    }

    fn slow(
        &mut self,
        (threads, intake, entered): (&ThreadsOut, &IntakeOut, Node),
        thread_9: Node,
        lanes: &LanesOut,
        requests: &RequestsOut,
        loops: &Loops,
    ) -> SlowOut {
        let all = loops
            .words
            .iter()
            .enumerate()
            .map(|(lane, word)| SlowLaneIn {
                word: *word,
                a: lanes.a[lane],
                b: lanes.b[lane],
                active: lanes.active[lane],
            });
        let ready = self.m.wire(1, "slow_is_brought");
        let ports = SlowIn {
            settings: loops.settings.clone(),
            lanes: all.collect(),
            thread_9,
            enters: entered,
            enters_thread: threads.packet_thread,
            enters_length: intake.descriptor.packet_length,
            value_puts: requests.value_puts,
            value_put_data: requests.value_put_data,
            loaded: loops.loads[0],
            room: loops.room,
            brought_ready: ready,
        };
        let block = slow(self.design, self.config);
        let out = block.place(self.design, self.m, "slow", ports).out;
        self.answers(requests, &out, ready, loops);
        out
    }

    fn exits(
        &mut self,
        (threads, intake, entered): (&ThreadsOut, &IntakeOut, Node),
        (thread_9, over): (Node, Node),
        lanes: &LanesOut,
        (requests, waits, job_ready): (&RequestsOut, Node, Node),
        loops: &Loops,
    ) -> ExitsOut {
        let all = loops
            .words
            .iter()
            .enumerate()
            .map(|(lane, word)| ExitLaneIn {
                word: *word,
                a: lanes.a[lane],
                taken: lanes.taken[lane],
            });
        let puts = requests.exit_puts.iter().zip(&requests.exit_put_data);
        let leave_valid = self.m.and(&[threads.leave_valid, requests.committed]);
        let ports = ExitsIn {
            thread_9,
            over,
            enters: entered,
            enters_thread: threads.packet_thread,
            enters_line: intake.descriptor.packet_line,
            enters_lines: intake.descriptor.packet_lines,
            enters_length: intake.descriptor.packet_length,
            put_thread: requests.exit_put_thread,
            put_words: puts
                .map(|(puts, data)| PutWordIn {
                    puts: *puts,
                    put_data: *data,
                })
                .collect(),
            lanes: all.collect(),
            oldest: threads.oldest,
            leave_valid,
            job_ready,
        };
        let block = exits(self.config);
        let out = block.place(self.design, self.m, "exits", ports).out;
        let waits = self.m.delay_reset("waits_10", waits);
        // A row that is parked comes once more.
        let m = &mut *self.m;
        let parks = (0..CUT_STAGE + 1).fold(loops.parks, |node, clock| {
            m.delay_reset(format!("parks_{clock}"), node)
        });
        let own = later(m, "own_row", threads.chosen.fetched, DECIDED_AFTER - 1);
        let goes = m.or(&[out.goes, parks]);
        let row = m.mux(parks, own, out.goes_to);
        m.drive(loops.leads.goes, goes);
        m.drive(loops.leads.row, row);
        self.m.drive(loops.leads.ends, out.ends);
        self.m.drive(loops.leads.waits, waits);
        self.m.drive(loops.leave_ready, out.leave_ready);
        out
    }

    fn packets(
        &mut self,
        inputs: &TopIn,
        intake: &IntakeOut,
        accesses: &AccessesOut,
        exits: &ExitsOut,
        loops: &Loops,
    ) -> (MemoryOut, TransmitOut) {
        let config = Memory {
            name: self.inner("memory"),
            ring: self.config.ring,
            loads: self.config.machine.loads.into(),
            stores: self.config.machine.stores.into(),
            // Each thread has one row of them at most behind those that still let others on.
            queue: 2 * u32::from(self.config.shape.threads).max(16),
            flight: 2 * u32::from(self.config.shape.threads).max(16) - 4,
        };
        let block = memory(&config);
        let read = crate::hardware::packets::memory::ReadIn {
            read: self.m.wire(1, "read"),
            read_index: self.m.wire(self.config.ring.line_bits(), "read_index"),
        };
        let ports = MemoryIn {
            line: crate::hardware::packets::memory::LineIn {
                line_valid: intake.line.line_valid,
                line_index: intake.line.line_index,
                line_zeros: intake.line.line_zeros,
                line_data: intake.line.line_data,
            },
            stores: accesses.stores.clone(),
            loads: accesses.loads.clone(),
            read: read.clone(),
        };
        let memory = block.place(self.design, self.m, "memory", ports).out;
        self.m.drive(loops.line_ready, memory.line_ready);
        self.m.drive(loops.room, memory.room);
        let config = Transmit {
            name: self.inner("transmit"),
            ring: self.config.ring,
            beat_bytes: self.config.bus_bits / 8,
            output_bits: self.config.output_bits(),
            repeats: false,
        };
        let ports = TransmitIn {
            job: exits.job.clone(),
            headroom_lines: loops.settings.front_lines,
            read_data: memory.read_data,
            read_written: memory.read_written,
            m_axis_tready: inputs.m_axis_tready,
        };
        let transmit = transmit(&config);
        let transmit = transmit.place(self.design, self.m, "transmit", ports).out;
        self.m.drive(read.read, transmit.read.read);
        self.m.drive(read.read_index, transmit.read.read_index);
        self.m
            .drive(loops.given.given_back, transmit.given.given_back);
        self.m
            .drive(loops.given.given_lines, transmit.given.given_lines);
        self.m.drive(loops.fate_valid, transmit.fate.fate_valid);
        let counted = self.counted(transmit.fate.fate);
        self.m.drive(loops.counted, counted);
        (memory, transmit)
    }

    /// What a packet of that fate is counted as.
    fn counted(&mut self, fate: Node) -> Node {
        let first = self.config.outputs.first();
        let counted = first.filter(|output| output.is_counted());
        let (lo, bits) = match counted {
            Some(output) => (0, output.width),
            None => (self.config.output_bits(), 1),
        };
        let number = self.m.slice(fate, lo, bits);
        self.m.zext(number, COUNTED_BITS)
    }

    fn late(&mut self, memory: &MemoryOut, loops: &Loops) {
        debug_assert!(
            super::accesses::LOAD_STAGE + LOAD_CLOCKS == self.config.lanes().late_stage()
        );
        for (wire, load) in loops.loads.iter().zip(&memory.loads) {
            self.m.drive(*wire, load.load_data);
        }
    }
}

/// What enters beside packets, in stage L.
struct Given {
    value: Node,
}

fn multiplies(m: &mut Module, word: Node) -> Node {
    let computes = super::is(m, word, &[Opcode::Compute]);
    let code = m.slice(
        word,
        layout::COMPUTE.lo.into(),
        layout::COMPUTE.width.into(),
    );
    let number = layout::COMPUTES.iter().position(|op| *op == Compute::Mul);
    let mul = m.eq_const(code, number.unwrap_or(0) as u64);
    m.and(&[computes, mul])
}
