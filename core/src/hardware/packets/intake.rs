//! Where packets come in: beats become lines of the ring, and a packet that is good a descriptor.
//!
//! ```text
//! s_axis ─► a line of beats ─► lines wait ─► headroom, packet, tail: one line a clock ─► memory
//!        └► length, verdict ─► verdicts wait ─────────┘ └─► descriptor, when its lines are in memory
//! ```
//!
//! * The lines of the headroom of the *next* packet are written while nothing else is to do, so they cost a packet only that comes right
//!   behind another one. One that is dropped leaves them to the next.
//! * A verdict is made behind the last beat, and waited for with the packet's last line only: until then a packet that is too long
//!   has no more lines in the ring than the longest one.
//! * A packet's program is the one that runs when its first beat is taken: the packet has its *bank* with it from there on. Where the
//!   headroom that was written is that of another program, it is written again.

mod beats;
mod lines;

use super::{Ring, LENGTH_BITS, LINE_BYTES};
use beats::{beats, Verdict};
use hardpath_blocks::axi::{SidebandIn, StreamIn, USER_IN_BITS};
use hardpath_blocks::fifo::{fifo, FifoIn, FifoOut};
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};
use lines::{lines, Heads, Told};

/// Bits of an offset into a packet's memory.
pub const REACH_BITS: u32 = 16;
/// Lines that can wait to be written.
const WAITING_LINES: u32 = 16;
/// Verdicts that can wait: those of all packets whose last line waits, and of some that have none.
const WAITING_VERDICTS: u32 = 32;
/// Packets of which it is kept what came with their first beat: more than can be between that and the end of their descriptor, of which
/// there are [`Intake::descriptors`] and two more.
const DRAWN: u32 = 64;

/// What the intake must know.
#[derive(Clone, Debug)]
pub struct Intake {
    /// Name of the module; those inside have theirs behind it.
    pub name: String,
    /// What holds the packets.
    pub ring: Ring,
    /// Bytes of a beat: a power of two, 64 at most.
    pub beat_bytes: u32,
    /// Descriptors that can wait: a power of two.
    pub descriptors: u32,
    /// The time is kept of each packet.
    pub has_time: bool,
    /// A random number is.
    pub has_random: bool,
    /// The interface that it is about to leave by is.
    pub has_egress: bool,
    /// Bits of inputs of its own in `s_axis_tuser`.
    pub own_bits: u32,
}

impl Default for Intake {
    fn default() -> Intake {
        Intake {
            name: "packet_intake".into(),
            ring: Ring::default(),
            beat_bytes: LINE_BYTES,
            descriptors: 16,
            has_time: true,
            has_random: true,
            has_egress: true,
            own_bits: 64,
        }
    }
}

signals! {
    /// What the program in a bank asks of packets. It stays while packets of it are inside.
    pub struct LimitsIn {
        headroom_lines: one "lines in front of a packet",
        tail: one "a packet's memory reaches up to this offset, or up to its end",
        shortest: one "the shortest packet, in bytes",
        longest: one "the longest packet, in bytes",
    }
}

signals! {
    /// Lines that come back.
    pub struct GivenBack {
        given_back: one "lines of the oldest packet are free again",
        given_lines: one "how many",
    }
}

signals! {
    /// Into the intake.
    pub struct IntakeIn {
        stream: all StreamIn,
        sideband: all SidebandIn,
        /// Of each of both banks.
        limits: numbered LimitsIn,
        bank: one "the bank of the program that runs",
        running: one "packets are taken; where it ends, the one that has begun is taken to its end",
        given: all GivenBack,
        line_ready: one "of the memory",
        descriptor_take: one "the descriptor is used up; only while it is valid",
    }
}

signals! {
    /// A packet in the ring.
    pub struct Descriptor {
        packet_line: one "the line in which it begins",
        packet_lines: one "all lines that it has, those of the headroom in front of it too",
        packet_length: one "its length in bytes",
        packet_bank: one "the bank of its program",
        packet_port: one "ingress port",
        packet_queue: one "its queue there",
        packet_time_ns: maybe "the time of its first beat",
        packet_random: maybe "the random number of its first beat",
        packet_egress: maybe "the interface that it is about to leave by",
        packet_own: maybe "its own inputs",
    }
}

signals! {
    /// A line for the memory.
    pub struct LineOut {
        line_valid: one "a line is offered; it stays until it is taken",
        line_index: one "which one",
        line_zeros: one "it has zeros, whatever the data is",
        line_data: one "byte 0 in bits 7:0",
    }
}

signals! {
    /// Out of the intake.
    pub struct IntakeOut {
        /// The beat that is offered is taken.
        s_axis_tready: one "",
        line: all LineOut,
        descriptor_valid: one "a packet is in the ring",
        descriptor: all Descriptor,
        dropped_bad: one "a frame that the MAC marked bad was dropped",
        dropped_length: one "a frame of wrong length was dropped",
        idle: one "no part of a packet is here, and none has lines in the ring",
    }
}

/// Makes the intake, with the FIFOs inside it in the design.
pub fn intake(design: &mut Design, config: &Intake) -> Block<IntakeIn, IntakeOut> {
    let mut m = Module::new(config.name.clone(), contract(config));
    let inputs = m.inputs(widths(config));
    m.section("Beats become lines");
    let beats = beats(&mut m, config, &inputs);
    let line = &beats.line;
    let word = [line.last, line.some, line.bank];
    let place = &mut (&mut *design, &mut m);
    let (name, depth) = (("lines", WAITING_LINES), WAITING_LINES);
    let lines_wait = waiting(place, config, name, (line.valid, &word));
    let data = line_data(place.1, depth, (line.valid, line.data), lines_wait.pop);
    let word = beats.verdict.parts();
    let name = ("verdicts", WAITING_VERDICTS);
    let verdicts = waiting(place, config, name, (beats.verdict.valid, &word));
    m.section("Lines that may come");
    let (ready, some_wait) = beats.room(&mut m, lines_wait.pop, depth, inputs.running);
    let heads = Heads {
        valid: lines_wait.valid,
        last: lines_wait.parts[0],
        some: lines_wait.parts[1],
        bank: lines_wait.parts[2],
        data,
        verdict: Verdict::of(verdicts.valid, &verdicts.parts),
    };
    let written = lines(&mut m, config, &inputs, &heads);
    m.drive(lines_wait.pop, written.line_pop);
    m.drive(verdicts.pop, written.verdict_pop);
    let word = written.told.parts();
    let (place, name) = (&mut (design, &mut m), ("descriptors", config.descriptors));
    let descriptors = waiting(place, config, name, (written.told_valid, &word));
    m.drive(descriptors.pop, inputs.descriptor_take);
    m.section("What came with the first beat");
    let oldest = Told::of(&descriptors.parts);
    let drawn = drawn(&mut m, config, &inputs, beats.draws, oldest.drawn_at);
    let [port, queue, time_ns, random, egress, own] = drawn;
    m.section("Whether anything is here");
    let still = m.or(&[beats.waits, some_wait, written.waits]);
    let nothing = m.not(still);
    let idle = m.delay_reset("idle_reg", nothing);
    let told = "every packet has these";
    let outputs = IntakeOut {
        s_axis_tready: ready,
        line: written.line,
        descriptor_valid: descriptors.valid,
        descriptor: Descriptor {
            packet_line: oldest.line,
            packet_lines: oldest.lines,
            packet_length: oldest.length,
            packet_bank: oldest.bank,
            packet_port: port.expect(told),
            packet_queue: queue.expect(told),
            packet_time_ns: time_ns,
            packet_random: random,
            packet_egress: egress,
            packet_own: own,
        },
        dropped_bad: beats.dropped_bad,
        dropped_length: beats.dropped_length,
        idle,
    };
    m.into_block(inputs, outputs)
}

fn contract(config: &Intake) -> String {
    format!(
        "Intake: AXI4-Stream in, {} bytes a beat; lines of the ring out, and a descriptor for each good packet.\n\
         In front of a packet stand headroom_lines of zeros, behind its last byte zeros up to the end of its last line, and lines of\n\
         zeros up to tail. A descriptor comes when all that is in the memory. Lines come back in the order of the packets.\n\
         Frames that the MAC marks bad, or outside shortest to longest, leave no trace but a strobe.\n\
         A packet takes a clock for each of its lines; those of its headroom are written before it comes.\n\
         headroom, and the longest packet or tail, whichever is more, have one line less than the ring together, or fewer.",
        config.beat_bytes
    )
}

fn widths(config: &Intake) -> IntakeIn<u32> {
    IntakeIn {
        stream: StreamIn::of_beats(config.beat_bytes, config.own_bits),
        sideband: SidebandIn::of(config.has_time, config.has_random, config.has_egress),
        limits: vec![
            LimitsIn {
                headroom_lines: config.ring.count_bits(),
                tail: REACH_BITS,
                shortest: LENGTH_BITS,
                longest: LENGTH_BITS,
            };
            2
        ],
        bank: 1,
        running: 1,
        given: GivenBack {
            given_back: 1,
            given_lines: config.ring.count_bits(),
        },
        line_ready: 1,
        descriptor_take: 1,
    }
}

/// What the program in a bank asks for.
fn limits_of(m: &mut Module, inputs: &IntakeIn, bank: Node) -> LimitsIn {
    let [first, second] = &inputs.limits[..] else {
        unreachable!("there are two banks")
    };
    let mut of = |one: fn(&LimitsIn) -> Node| m.mux(bank, one(second), one(first));
    LimitsIn {
        headroom_lines: of(|limits| limits.headroom_lines),
        tail: of(|limits| limits.tail),
        shortest: of(|limits| limits.shortest),
        longest: of(|limits| limits.longest),
    }
}

/// What comes with a packet's first beat: port, queue, time, random number, interface, own inputs. It stands in a memory until the
/// packet's descriptor is taken. `at`: where that of the oldest one is.
fn drawn(
    m: &mut Module,
    config: &Intake,
    inputs: &IntakeIn,
    (takes, next): (Node, Node),
    at: Node,
) -> [Option<Node>; 6] {
    assert!(WAITING_VERDICTS + config.descriptors + 8 <= DRAWN);
    let user = inputs.stream.s_axis_tuser;
    let side = &inputs.sideband;
    let (port, queue) = (m.slice(user, 1, 8), m.slice(user, 9, 16));
    let own = (config.own_bits > 0).then(|| m.slice(user, USER_IN_BITS, config.own_bits));
    let all = [
        ("port", Some(port)),
        ("queue", Some(queue)),
        ("time_ns", side.time_ns),
        ("random", side.random),
        ("egress", side.egress),
        ("own", own),
    ];
    all.map(|(name, node)| {
        let node = node?;
        let name = format!("drawn_{name}");
        let mem = m.mem(name, m.width(node), DRAWN, MemStyle::Distributed);
        m.mem_write(mem, next, node, takes);
        Some(m.mem_read_async(mem, at))
    })
}

/// The oldest line's bytes: beside the FIFO of what else is known of lines, whose head is in registers, since these go into others at once.
fn line_data(m: &mut Module, depth: u32, (push, data): (Node, Node), pop: Node) -> Node {
    let mem = m.mem("line_words", m.width(data), depth, MemStyle::Distributed);
    let mut count = |name: &str, counts: Node| {
        let (reg, at) = m.reg_reset(name, index_bits(depth.into()), 0);
        let next = m.add_const(at, 1);
        m.set_next_when(reg, counts, next);
        at
    };
    let (write, read) = (count("line_written", push), count("line_read", pop));
    m.mem_write(mem, write, data, push);
    m.mem_read_async(mem, read)
}

/// Words that wait.
struct Waiting {
    /// There is an oldest one.
    valid: Node,
    /// Its parts.
    parts: Vec<Node>,
    /// A wire: it is used up.
    pop: Node,
}

/// A FIFO for words of these parts.
fn waiting(
    (design, m): &mut (&mut Design, &mut Module),
    config: &Intake,
    (name, depth): (&str, u32),
    (push, parts): (Node, &[Node]),
) -> Waiting {
    let data_in = m.concat(parts);
    let block = fifo(&format!("{}_{name}", config.name), m.width(data_in), depth);
    let pop = m.wire(1, format!("{name}_pop"));
    let inputs = FifoIn { push, data_in, pop };
    let FifoOut { valid, data_out } = block.place(design, m, name, inputs).out;
    let mut at = m.width(data_out);
    let mut all = Vec::new();
    for part in parts {
        let bits = m.width(*part);
        at -= bits;
        all.push(m.slice(data_out, at, bits));
    }
    Waiting {
        valid,
        parts: all,
        pop,
    }
}

/// A count of lines that bytes take, in lines of the ring.
fn lines_of(m: &mut Module, config: &Intake, bytes: Node) -> Node {
    let wide = m.zext(bytes, m.width(bytes) + 1);
    let up = m.add_const(wide, u64::from(LINE_BYTES) - 1);
    let bits = m.width(up) - super::LINE_BYTE_BITS;
    let lines = m.slice(up, super::LINE_BYTE_BITS, bits);
    m.resize(lines, config.ring.count_bits())
}

/// How many have come that have not left yet; the two counters of them go around.
fn inside(m: &mut Module, what: &str, bits: u32, (comes, leaves): (Node, Node)) -> Node {
    let mut count = |name: &str, step: Node| {
        let (reg, count) = m.reg_reset(format!("{what}_{name}"), bits, 0);
        let next = m.add_const(count, 1);
        m.set_next_when(reg, step, next);
        count
    };
    let (came, left) = (count("came", comes), count("left", leaves));
    m.sub(came, left)
}
