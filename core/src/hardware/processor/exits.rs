//! The end of a packet's program: what its exit says, and what of it becomes a job for the transmit side.
//!
//! An exit that is taken leaves its word's parts and its operand in a memory, one for each thread. What stands in the exit buffer stays
//! there until the packet is the oldest one; then all that becomes a job. One that leaves several times has a job for each: [`turns`].

mod copies;
mod leaves;
mod turns;

use super::Processor;
use crate::encode::layout::{self, kind, Bits, Opcode};
use crate::hardware::decode::part;
use crate::hardware::lanes::{CUT_STAGE, OPERAND_STAGE};
use crate::hardware::packets::transmit::FRONT_BYTES;
use crate::hardware::packets::transmit::{FrontIn, JobIn};
use crate::hardware::packets::LENGTH_BITS;
use crate::hardware::shift::later;
use crate::isa::exit;
use copies::Copies;
use hardpath_blocks::index_bits;
use hardpath_packet::INDEX_BITS;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, Mem, MemStyle, Module, Node};
use leaves::{outputs, Leaves};
use turns::{Turn, Turns};

signals! {
    /// What a lane does.
    pub struct ExitLaneIn {
        word: one "stage 0",
        a: one "stage 6",
        taken: one "stage 9",
    }
}

signals! {
    /// Into the exits.
    pub struct ExitsIn {
        thread_9: one "stage 9",
        over: one "stage 9: the program has had all rows that it may have",
        enters: one "a packet gets a thread",
        enters_thread: one "which one",
        enters_line: one "the line in which it begins",
        enters_lines: one "all its lines",
        enters_front_lines: one "those in front of it",
        enters_length: one "its length in bytes",
        put_thread: one "of words for the exit buffer",
        put_words: numbered PutWordIn,
        lanes: numbered ExitLaneIn,
        oldest: one "the thread of the oldest packet",
        leave_valid: one "the oldest packet's program is over, and what it changed is done",
        job_ready: one "the job is taken",
        sends: some SendsIn,
        broadcast: some BroadcastIn,
    }
}

signals! {
    /// Of a core in which packets have further copies.
    pub struct SendsIn {
        row_begins: one "stage 0: a row of the program begins",
        row_starts: one "stage 0: it is its packet's first one",
        lane_active: several "stage 9: the lane's operation happens",
    }
}

signals! {
    /// Of a core in which packets are broadcast.
    pub struct BroadcastIn {
        enters_interface: one "that at which the packet came in",
        /// Of each list ([`hardpath_blocks::device_list`]).
        list_count: several "devices in it",
        list_device: several "the device that was read",
    }
}

signals! {
    /// To the lists of devices.
    pub struct ListsOut {
        list_index: several "the device that is read",
        list_read: several "it is read in this clock",
    }
}

signals! {
    /// A word of a buffer that is written.
    pub struct PutWordIn {
        puts: one "it is written",
        put_data: one "what it becomes",
    }
}

signals! {
    /// Out of the exits.
    pub struct ExitsOut {
        goes: one "stage 10: a branch is taken",
        goes_to: one "stage 10: to this row",
        ends: one "stage 10: the program is over",
        leave_ready: one "the oldest packet leaves",
        job: all JobIn,
        front: all FrontIn,
        lists: some ListsOut,
    }
}

/// The words of the exit buffer that a core keeps, by their numbers.
pub fn words(config: &Processor) -> Vec<u16> {
    let outputs = config.output_bits().div_ceil(64) as u16;
    let front = (FRONT_BYTES / 8) as u16;
    [exit::WAY, exit::LEAVING, exit::FLAGS]
        .into_iter()
        .chain(exit::OUTPUTS..exit::OUTPUTS + outputs)
        .chain(exit::FRONT..exit::FRONT + front)
        .collect()
}

/// Makes the exits.
pub fn exits(design: &mut Design, config: &Processor) -> Block<ExitsIn, ExitsOut> {
    let name = format!("{}_exits", config.name);
    let mut m = Module::new(
        name,
        "Exits: where a row leads, and what becomes of a packet whose program is over.\n\
         Packets leave in the order in which they came.",
    );
    let thread = config.thread_bits();
    let inputs = m.inputs(ExitsIn {
        thread_9: thread,
        over: 1,
        enters: 1,
        enters_thread: thread,
        enters_line: config.ring.line_bits(),
        enters_lines: config.ring.count_bits(),
        enters_front_lines: config.ring.count_bits(),
        enters_length: LENGTH_BITS,
        put_thread: thread,
        put_words: vec![
            PutWordIn {
                puts: 1,
                put_data: 64,
            };
            words(config).len()
        ],
        lanes: vec![
            ExitLaneIn {
                word: 128,
                a: 64,
                taken: 1,
            };
            config.shape.lanes.into()
        ],
        oldest: thread,
        leave_valid: 1,
        job_ready: 1,
        sends: (config.copies > 0).then(|| SendsIn {
            row_begins: 1,
            row_starts: 1,
            lane_active: vec![1; config.shape.lanes.into()],
        }),
        broadcast: config.broadcasts().then(|| {
            let lists = config.lists();
            let entries = lists.iter().map(|slot| config.slots[*slot].max_entries);
            BroadcastIn {
                enters_interface: INDEX_BITS,
                list_count: entries.map(|most| index_bits(most.into()) + 1).collect(),
                list_device: vec![INDEX_BITS; lists.len()],
            }
        }),
    });
    m.section("What is taken");
    let taken = Taken::new(&mut m, config, &inputs);
    m.section("What waits for the oldest packet");
    let stored = Stored::new(&mut m, config, &inputs, &taken);
    let said = stored.said(&mut m, &inputs);
    let copies = inputs.sends.as_ref().map(|sends| {
        m.section("Further copies");
        Copies::new(&mut m, config, (&inputs, sends), &stored)
    });
    m.section("The job");
    let (job, front, turn) = job(&mut m, (design, config), &inputs, &said, copies.as_ref());
    let outputs = ExitsOut {
        goes: taken.goes,
        goes_to: taken.row,
        ends: taken.ends,
        leave_ready: turn.leaves,
        job,
        front,
        lists: turn.lists,
    };
    m.into_block(inputs, outputs)
}

/// In stage 10, from registers.
struct Taken {
    goes: Node,
    row: Node,
    ends: Node,
    thread: Node,
    /// Parts of the exit's word, and the index.
    forwarded: Node,
    has_outputs: Node,
    way: Node,
    leaving: Node,
    outputs: Node,
    index: Node,
    /// It is broadcast through the map of this number.
    each: Option<[Node; 2]>,
    /// It is cut short.
    over: Option<Node>,
}

impl Taken {
    fn new(m: &mut Module, config: &Processor, inputs: &ExitsIn) -> Taken {
        let kinds = [Opcode::Exit, Opcode::Indirect].map(|opcode| {
            let lanes = inputs.lanes.iter().enumerate();
            let hits = lanes.map(|(lane, inputs)| {
                let is = super::is(m, inputs.word, &[opcode]);
                let name = format!("{opcode:?}_{lane}").to_lowercase();
                let is = later(m, &name, is, CUT_STAGE);
                m.and(&[is, inputs.taken])
            });
            let hits: Vec<Node> = hits.collect();
            m.or(&hits)
        });
        let mut chosen = |name: &str, bits: Bits| {
            let lanes = inputs.lanes.iter().enumerate();
            let parts = lanes.map(|(lane, inputs)| {
                let part = part(m, inputs.word, bits);
                let part = later(m, &format!("{name}_{lane}"), part, CUT_STAGE);
                m.gate(inputs.taken, part)
            });
            let parts: Vec<Node> = parts.collect();
            m.or(&parts)
        };
        let target = chosen("target", layout::TARGET);
        let forwarded = chosen("forwarded", layout::FORWARDED);
        let has_outputs = chosen("has_outputs", layout::HAS_OUTPUTS);
        let way = chosen("way", layout::WAY);
        let leaving = chosen("leaving", layout::LEAVING);
        let outputs = chosen("outputs", layout::OUTPUTS);
        let each = config.broadcasts().then(|| {
            [
                chosen("has_each", layout::HAS_EACH),
                chosen("each", layout::MAP),
            ]
        });
        let lanes = inputs.lanes.iter().enumerate();
        let indexes = lanes.map(|(lane, inputs)| {
            let low = m.slice(inputs.a, 0, INDEX_BITS);
            let low = later(m, &format!("index_{lane}"), low, CUT_STAGE - OPERAND_STAGE);
            // An exit with a condition has its operands there.
            let kind = part(m, inputs.word, layout::B_KIND);
            let alone = m.eq_const(kind, kind::ABSENT);
            let alone = later(m, &format!("has_no_condition_{lane}"), alone, CUT_STAGE);
            let own = m.and(&[inputs.taken, alone]);
            m.gate(own, low)
        });
        let indexes: Vec<Node> = indexes.collect();
        let index = m.or(&indexes);
        let all: Vec<Node> = inputs.lanes.iter().map(|lane| lane.taken).collect();
        let any = m.or(&all);
        let [exits, indirect] = kinds;
        let runs_on = m.not(inputs.over);
        let branches = m.not(exits);
        let goes = m.and(&[any, branches, runs_on]);
        let ends = m.or(&[exits, inputs.over]);
        let row_bits = config.row_bits();
        let target = m.slice(target, 0, row_bits);
        let by_register = m.slice(index, 0, row_bits);
        let row = m.mux(indirect, by_register, target);
        // What is cut short does not go on, with zeros as outputs.
        let dropped = m.constant(2, 2);
        let forwarded = m.mux(inputs.over, dropped, forwarded);
        let has_outputs = m.or(&[inputs.over, has_outputs]);
        let outputs = m.gate(runs_on, outputs);
        Taken {
            goes: m.delay_reset("goes_10", goes),
            row: m.delay("row_10", row),
            ends: m.delay_reset("ends_10", ends),
            thread: m.delay("thread_10", inputs.thread_9),
            forwarded: m.delay("forwarded_10", forwarded),
            has_outputs: m.delay("has_outputs_10", has_outputs),
            way: m.delay("way_10", way),
            leaving: m.delay("leaving_10", leaving),
            outputs: m.delay("outputs_10", outputs),
            index: m.delay("index_10", index),
            each: each.map(|[has, map]| [m.delay("has_each_10", has), m.delay("each_10", map)]),
            over: (config.copies > 0).then(|| m.delay("over_10", inputs.over)),
        }
    }
}

/// What is known of a packet, or of a further copy of it.
#[derive(Clone)]
struct Said {
    forwarded: Node,
    has_outputs: Node,
    way: Node,
    leaving: Node,
    outputs: Node,
    index: Node,
    line: Node,
    lines: Node,
    length: Node,
    front_lines: Node,
    each: Option<[Node; 2]>,
    over: Option<Node>,
    /// In the order of [`words`].
    words: Vec<Node>,
}

impl Said {
    /// A word of the exit buffer.
    fn word(&self, config: &Processor, number: u16) -> Node {
        let mut numbers = words(config).into_iter();
        let at = numbers.position(|one| one == number);
        self.words[at.expect("the word is kept")]
    }
}

/// A memory with a word for each thread, of these parts.
struct Kept {
    mem: Mem,
    widths: Vec<u32>,
}

impl Kept {
    fn new(
        m: &mut Module,
        config: &Processor,
        name: &str,
        parts: &[Node],
        (thread, write): (Node, Node),
    ) -> Kept {
        let word = m.concat(parts);
        let threads = config.shape.threads.into();
        let mem = m.mem(name, m.width(word), threads, MemStyle::Distributed);
        m.mem_write(mem, thread, word, write);
        let widths = parts.iter().map(|part| m.width(*part)).collect();
        Kept { mem, widths }
    }

    fn of(&self, m: &mut Module, thread: Node) -> Vec<Node> {
        let word = m.mem_read_async(self.mem, thread);
        parts_of(m, word, &self.widths)
    }
}

/// A word cut into its parts, the first one of which stands highest.
fn parts_of(m: &mut Module, word: Node, widths: &[u32]) -> Vec<Node> {
    let mut at = m.width(word);
    let parts = widths.iter().map(|bits| {
        at -= bits;
        m.slice(word, at, *bits)
    });
    parts.collect()
}

/// What is kept of each thread's packet.
struct Stored {
    exits: Kept,
    packets: Kept,
    /// In the order of [`words`].
    words: Vec<Kept>,
    has_each: bool,
    has_over: bool,
}

impl Stored {
    fn new(m: &mut Module, config: &Processor, inputs: &ExitsIn, taken: &Taken) -> Stored {
        let mut parts = vec![
            taken.forwarded,
            taken.has_outputs,
            taken.way,
            taken.leaving,
            taken.index,
            taken.outputs,
        ];
        parts.extend(taken.each.into_iter().flatten());
        parts.extend(taken.over);
        let ends = (taken.thread, taken.ends);
        let exits = Kept::new(m, config, "exits", &parts, ends);
        let parts = [
            inputs.enters_line,
            inputs.enters_lines,
            inputs.enters_length,
            inputs.enters_front_lines,
        ];
        let enters = (inputs.enters_thread, inputs.enters);
        let packets = Kept::new(m, config, "packets", &parts, enters);
        let numbers = words(config);
        let numbers = numbers.iter().zip(&inputs.put_words);
        let words = numbers.map(|(number, word)| {
            let name = format!("exit_word_{number}");
            let puts = (inputs.put_thread, word.puts);
            Kept::new(m, config, &name, &[word.put_data], puts)
        });
        Stored {
            exits,
            packets,
            words: words.collect(),
            has_each: taken.each.is_some(),
            has_over: taken.over.is_some(),
        }
    }

    /// Of the oldest packet.
    fn said(&self, m: &mut Module, inputs: &ExitsIn) -> Said {
        let exit = self.exits.of(m, inputs.oldest);
        let packet = self.packets.of(m, inputs.oldest);
        Said {
            forwarded: exit[0],
            has_outputs: exit[1],
            way: exit[2],
            leaving: exit[3],
            index: exit[4],
            outputs: exit[5],
            line: packet[0],
            lines: packet[1],
            length: packet[2],
            front_lines: packet[3],
            each: self.has_each.then(|| [exit[6], exit[7]]),
            over: self.has_over.then(|| exit[exit.len() - 1]),
            words: self.words(m, inputs.oldest),
        }
    }

    /// What stands in a thread's exit buffer.
    fn words(&self, m: &mut Module, thread: Node) -> Vec<Node> {
        let words = self.words.iter().map(|kept| kept.of(m, thread)[0]);
        words.collect()
    }
}

/// The job, in registers that keep it until it is taken; what stands in front of it, a clock earlier; and what goes with it.
fn job(
    m: &mut Module,
    (design, config): (&mut Design, &Processor),
    inputs: &ExitsIn,
    said: &Said,
    copies: Option<&Copies>,
) -> (JobIn, FrontIn, Turn) {
    let (valid_reg, valid) = m.reg_reset("job_valid_reg", 1, 0);
    let waits = m.not(inputs.job_ready);
    let stays = m.and(&[valid, waits]);
    let free = m.not(stays);
    let turns = Turns::new(m, config);
    // The packet itself, or a copy of it.
    let which = match copies.zip(turns.copy.as_ref()) {
        Some((copies, copy)) => copies.or_packet(m, inputs.oldest, copy, said),
        None => said.clone(),
    };
    let leaves = Leaves::of(m, config, &which);
    let count = copies.map(|copies| copies.count(m, inputs.oldest, said));
    let turn = turns.turn((design, m), config, inputs, (said, &leaves), (free, count));
    let next = m.or(&[stays, turn.takes]);
    m.set_next(valid_reg, next);
    // Outputs of the packet itself go with its first job, whatever that is of.
    let fate_outputs = turn.again.and_then(|_| outputs(m, config, said));
    let mut hold = |name: &str, node: Node| m.hold(format!("{name}_reg"), turn.takes, node);
    let job = JobIn {
        job_valid: valid,
        job_forwarded: hold("forwarded", turn.forwarded),
        job_line: hold("line", said.line),
        job_lines: hold("lines", said.lines),
        job_front_lines: hold("front_lines", said.front_lines),
        job_from: hold("from", leaves.from),
        job_end: hold("end", leaves.end),
        job_zeros: hold("zeros", leaves.zeros),
        job_front_length: hold("front_length", leaves.front_length),
        job_class: hold("class", leaves.class),
        job_index: hold("index", turn.index),
        job_outputs: leaves.outputs.map(|outputs| hold("outputs", outputs)),
        job_again: turn.again.map(|again| hold("again", again)),
        job_fate_outputs: fate_outputs.map(|outputs| hold("fate_outputs", outputs)),
    };
    let front = FrontIn {
        front_comes: turn.takes,
        front: leaves.front,
    };
    (job, front, turn)
}
