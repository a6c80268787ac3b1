//! The end of a packet's program: what its exit says, and what of it becomes a job for the transmit side.
//!
//! An exit that is taken leaves its word's parts and its operand in a memory, one for each thread. What stands in the exit buffer stays
//! there until the packet is the oldest one; then all that becomes a job.

use super::Processor;
use crate::encode::layout::{self, kind, Bits, Opcode};
use crate::hardware::decode::part;
use crate::hardware::lanes::{CUT_STAGE, OPERAND_STAGE};
use crate::hardware::packets::transmit::{FRONT_BITS, FRONT_BYTES, OFFSET_BITS};
use crate::hardware::packets::{transmit::JobIn, LENGTH_BITS};
use crate::hardware::shift::later;
use crate::isa::exit;
use hardpath_packet::{CLASS_BITS, INDEX_BITS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

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
        enters_length: one "its length in bytes",
        put_thread: one "of words for the exit buffer",
        put_words: numbered PutWordIn,
        lanes: numbered ExitLaneIn,
        oldest: one "the thread of the oldest packet",
        leave_valid: one "the oldest packet's program is over, and what it changed is done",
        job_ready: one "the job is taken",
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
pub fn exits(config: &Processor) -> Block<ExitsIn, ExitsOut> {
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
    });
    m.section("What is taken");
    let taken = Taken::new(&mut m, config, &inputs);
    m.section("What waits for the oldest packet");
    let said = said(&mut m, config, &inputs, &taken);
    m.section("The job");
    let (job, leave_ready) = job(&mut m, config, &inputs, &said);
    let outputs = ExitsOut {
        goes: taken.goes,
        goes_to: taken.row,
        ends: taken.ends,
        leave_ready,
        job,
    };
    m.into_block(inputs, outputs)
}

/// In stage 10, from registers.
struct Taken {
    goes: Node,
    row: Node,
    ends: Node,
    thread: Node,
    ending: Ending,
}

/// Parts of an exit's word, and the index.
struct Ending {
    forwarded: Node,
    has_outputs: Node,
    way: Node,
    leaving: Node,
    outputs: Node,
    index: Node,
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
            ending: Ending {
                forwarded: m.delay("forwarded_10", forwarded),
                has_outputs: m.delay("has_outputs_10", has_outputs),
                way: m.delay("way_10", way),
                leaving: m.delay("leaving_10", leaving),
                outputs: m.delay("outputs_10", outputs),
                index: m.delay("index_10", index),
            },
        }
    }
}

/// What is known of the oldest packet.
struct Said {
    ending: Ending,
    line: Node,
    lines: Node,
    length: Node,
    /// In the order of [`words`].
    words: Vec<Node>,
}

fn said(m: &mut Module, config: &Processor, inputs: &ExitsIn, taken: &Taken) -> Said {
    let threads = config.shape.threads.into();
    let mut kept = |name: &str, parts: &[Node], (thread, write): (Node, Node)| {
        let word = m.concat(parts);
        let mem = m.mem(name, m.width(word), threads, MemStyle::Distributed);
        m.mem_write(mem, thread, word, write);
        let word = m.mem_read_async(mem, inputs.oldest);
        let mut at = m.width(word);
        let parts = parts.iter().map(|part| {
            let bits = m.width(*part);
            at -= bits;
            m.slice(word, at, bits)
        });
        parts.collect::<Vec<Node>>()
    };
    let ended = &taken.ending;
    let ending = kept(
        "exits",
        &[
            ended.forwarded,
            ended.has_outputs,
            ended.way,
            ended.leaving,
            ended.index,
            ended.outputs,
        ],
        (taken.thread, taken.ends),
    );
    let packet = kept(
        "packets",
        &[
            inputs.enters_line,
            inputs.enters_lines,
            inputs.enters_length,
        ],
        (inputs.enters_thread, inputs.enters),
    );
    let numbers = words(config);
    let mut all = Vec::new();
    for (number, word) in numbers.iter().zip(&inputs.put_words) {
        let name = format!("exit_word_{number}");
        let found = kept(&name, &[word.put_data], (inputs.put_thread, word.puts));
        all.push(found[0]);
    }
    Said {
        ending: Ending {
            forwarded: ending[0],
            has_outputs: ending[1],
            way: ending[2],
            leaving: ending[3],
            index: ending[4],
            outputs: ending[5],
        },
        line: packet[0],
        lines: packet[1],
        length: packet[2],
        words: all,
    }
}

/// The job, in registers that keep it until it is taken; and that the packet leaves.
fn job(m: &mut Module, config: &Processor, inputs: &ExitsIn, said: &Said) -> (JobIn, Node) {
    let ending = &said.ending;
    let numbers = words(config);
    let word = |number: u16| {
        let at = numbers.iter().position(|one| *one == number);
        at.map(|at| said.words[at]).expect("the word is kept")
    };
    let (valid_reg, valid) = m.reg_reset("job_valid_reg", 1, 0);
    let waits = m.not(inputs.job_ready);
    let stays = m.and(&[valid, waits]);
    let free = m.not(stays);
    let takes = m.and(&[free, inputs.leave_valid]);
    let next = m.or(&[stays, takes]);
    m.set_next(valid_reg, next);
    // Forwarded: 0: as the buffer says; 2: no; 3: yes.
    let own = m.bit(ending.forwarded, 1);
    let yes = m.bit(ending.forwarded, 0);
    let flag = m.bit(word(exit::FLAGS), 0);
    let forwarded = m.mux(own, yes, flag);
    // The way. 0: back; 1: as the buffer says; 4 to 7: class 0 to 3.
    let by_class = m.bit(ending.way, 2);
    let by_buffer = m.bit(ending.way, 0);
    let class_of_word = m.slice(word(exit::WAY), 32, CLASS_BITS);
    let class_of_exit = m.slice(ending.way, 0, CLASS_BITS);
    let class = m.gate(by_buffer, class_of_word);
    let class = m.mux(by_class, class_of_exit, class);
    let index_of_word = m.slice(word(exit::WAY), 0, INDEX_BITS);
    let index = m.gate(by_buffer, index_of_word);
    let index = m.mux(by_class, ending.index, index);
    let nowhere = m.eq_const(class, hardpath_packet::Class::Nowhere.code());
    let somewhere = m.not(nowhere);
    let forwarded = m.and(&[forwarded, somewhere]);
    let length = m.zext(said.length, OFFSET_BITS);
    let zero = m.zero(OFFSET_BITS);
    let leaving = word(exit::LEAVING);
    let mut bound = |lo: u32, usual: Node| {
        let own = m.slice(leaving, lo, OFFSET_BITS);
        m.mux(ending.leaving, own, usual)
    };
    let (from, end, zeros) = (bound(0, zero), bound(16, length), bound(32, length));
    let front_length = m.slice(leaving, 48, FRONT_BITS);
    let front_length = m.gate(ending.leaving, front_length);
    let front = (0..(FRONT_BYTES / 8) as u16).rev();
    let front: Vec<Node> = front.map(|at| word(exit::FRONT + at)).collect();
    let front = m.concat(&front);
    let outputs = (config.output_bits() > 0).then(|| {
        let bits = config.output_bits();
        let count = bits.div_ceil(64) as u16;
        let all = (0..count).rev().map(|at| word(exit::OUTPUTS + at));
        let all: Vec<Node> = all.collect();
        let all = m.concat(&all);
        let own = m.resize(ending.outputs, bits);
        let all = m.slice(all, 0, bits);
        m.mux(ending.has_outputs, own, all)
    });
    let mut hold = |name: &str, node: Node| m.hold(format!("{name}_reg"), takes, node);
    let job = JobIn {
        job_valid: valid,
        job_forwarded: hold("forwarded", forwarded),
        job_line: hold("line", said.line),
        job_lines: hold("lines", said.lines),
        job_from: hold("from", from),
        job_end: hold("end", end),
        job_zeros: hold("zeros", zeros),
        job_front_length: hold("front_length", front_length),
        job_front: hold("front", front),
        job_class: hold("class", class),
        job_index: hold("index", index),
        job_outputs: outputs.map(|outputs| hold("outputs", outputs)),
        job_again: None,
        job_fate_outputs: None,
    };
    (job, takes)
}
