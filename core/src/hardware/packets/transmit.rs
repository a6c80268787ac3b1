//! Where packets go out: a job says which bytes of a packet's lines leave, what stands in front of them and which way they go.
//!
//! What leaves begins at offset `from` less the bytes in front. A *unit* is as many bytes as a beat, number 0 begins at offset 0. A job
//! takes a *slot* for each unit that it touches; each slot reads one unit and forms one beat, of its unit and of the next slot's:
//!
//! ```text
//! units     |  −1   |   0   |   1   |   2   |
//! leaves         [=======+=======+===]
//! beats           0       1       2              slot k forms beat k; the last slot may form none
//! ```
//!
//! * The whole way moves at once, or not at all: behind it stand words for what is formed until a register has said so.
//! * A unit is turned so that the byte that leaves first is its lane 0. So the bytes of a beat only choose between this unit, the next one
//!   and the bytes in front.
//! * What is the same in all slots of a job stands in a memory, by the job's number, from where its beats get it at their end.

mod job;
mod slots;

use super::intake::GivenBack;
use super::{Ring, LINE_BYTES};
use hardpath_blocks::axi::{FateOut, StreamOut};
use hardpath_blocks::output_stage::OutputStage;
use hardpath_packet::{CLASS_BITS, INDEX_BITS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module};
use job::Job;
use slots::Way;

/// Bits of an offset, in two's complement.
pub const OFFSET_BITS: u32 = 16;
/// The most bytes in front.
pub const FRONT_BYTES: u32 = 64;
/// Bits of their number.
pub const FRONT_BITS: u32 = 7;

/// What the transmit side must know.
#[derive(Clone, Debug)]
pub struct Transmit {
    /// Name of the module.
    pub name: String,
    /// What holds the packets.
    pub ring: Ring,
    /// Bytes of a beat: a power of two, 64 at most.
    pub beat_bytes: u32,
    /// Bits of the program's outputs together.
    pub output_bits: u32,
    /// A packet may leave several times: jobs say whether its lines are needed again.
    pub repeats: bool,
}

impl Default for Transmit {
    fn default() -> Transmit {
        Transmit {
            name: "packet_transmit".into(),
            ring: Ring::default(),
            beat_bytes: LINE_BYTES,
            output_bits: 32,
            repeats: true,
        }
    }
}

signals! {
    /// What becomes of a packet.
    pub struct JobIn {
        job_valid: one "a job is offered; it stays until it is taken",
        job_forwarded: one "bytes leave; else the lines are only given back",
        job_line: one "the line in which the packet begins",
        job_lines: one "all lines that it has, those of the headroom in front of it too",
        job_front_lines: one "those in front of it",
        job_from: one "the offset of the first byte that leaves, behind those in front",
        job_end: one "behind the last one; not before from",
        job_zeros: one "from this offset on bytes that no store has written are zeros",
        job_front_length: one "bytes in front",
        job_class: one "the class of its destination",
        job_index: one "the index beside it",
        job_outputs: maybe "the program's outputs, the first in the lowest bits",
        job_again: maybe "another job of the same packet comes behind this one",
        job_fate_outputs: maybe "the outputs of the packet itself, whoever's the job is",
    }
}

signals! {
    /// The bytes in front of a job. They come in the order of the jobs, at least a clock before their job is taken and for one more at
    /// most than are offered.
    pub struct FrontIn {
        front_comes: one "those of the next job are here",
        front: one "the first one in bits 7:0",
    }
}

signals! {
    /// Into the transmit side.
    pub struct TransmitIn {
        job: all JobIn,
        front: all FrontIn,
        read_data: one "of the memory",
        read_written: one "of the memory",
        /// The beat that is offered is taken.
        m_axis_tready: one "",
    }
}

signals! {
    /// What the memory is asked.
    pub struct ReadOut {
        read: one "0: the line that was read stays",
        read_index: one "which line is read",
    }
}

signals! {
    /// Out of the transmit side.
    pub struct TransmitOut {
        job_ready: one "the job is taken",
        read: all ReadOut,
        stream: all StreamOut,
        fate: all FateOut,
        given: all GivenBack,
    }
}

/// Makes the transmit side.
pub fn transmit(config: &Transmit) -> Block<TransmitIn, TransmitOut> {
    let mut m = Module::new(config.name.clone(), contract(config));
    let inputs = m.inputs(widths(config));
    let output = OutputStage::new(&mut m);
    let mut way = Way {
        m: &mut m,
        config,
        moves: output.moves,
    };
    way.m.section("A job is made ready");
    let job = Job::new(&mut way, &inputs);
    way.m.section("From slot to slot");
    let (slot, read) = way.walk(&job);
    way.m.section("What was read");
    let (slot, unit) = way.unit(slot, (inputs.read_data, inputs.read_written));
    way.m.section("The beat");
    let beat = way.beat(&job, slot, unit);
    let given = way.given_back(&job);
    let fate = way.fate(&job);
    let tdest = |_: &mut Module, varies| Option::expect(varies, "the class is told for each job");
    let stream = output.send(&mut m, tdest, &beat, inputs.m_axis_tready);
    let outputs = TransmitOut {
        job_ready: job.takes,
        read,
        stream,
        fate,
        given,
    };
    m.into_block(inputs, outputs)
}

fn contract(config: &Transmit) -> String {
    format!(
        "Transmit: takes jobs, reads what leaves of a packet's lines, and sends it as AXI4-Stream, {} bytes a beat.\n\
         Bytes from from to end leave, in front of them those in front. Bytes outside of the packet's lines are zeros, and so are\n\
         those from zeros on that no store has written. A job takes a clock for each beat's width of the ring that it touches,\n\
         one that is not forwarded takes one. Its lines are given back when all are read, behind its last job.\n\
         fate has a strobe for each packet, with the outputs, and above them whether the first job was forwarded.\n\
         While tvalid is 1 and tready is 0, the beat stays as it is; there is no gap inside a packet while tready is 1.",
        config.beat_bytes
    )
}

fn widths(config: &Transmit) -> TransmitIn<u32> {
    let outputs = (config.output_bits > 0).then_some(config.output_bits);
    TransmitIn {
        job: JobIn {
            job_valid: 1,
            job_forwarded: 1,
            job_line: config.ring.line_bits(),
            job_lines: config.ring.count_bits(),
            job_front_lines: config.ring.count_bits(),
            job_from: OFFSET_BITS,
            job_end: OFFSET_BITS,
            job_zeros: OFFSET_BITS,
            job_front_length: FRONT_BITS,
            job_class: CLASS_BITS,
            job_index: INDEX_BITS,
            job_outputs: outputs,
            job_again: config.repeats.then_some(1),
            job_fate_outputs: outputs.filter(|_| config.repeats),
        },
        front: FrontIn {
            front_comes: 1,
            front: FRONT_BYTES * 8,
        },
        read_data: LINE_BYTES * 8,
        read_written: LINE_BYTES,
        m_axis_tready: 1,
    }
}
