//! The registers of all threads.
//!
//! A lane has a bank of its own, which it alone writes, so a bank has one write port. Each place that reads can read any bank, in every
//! clock: for each there is a copy of each bank, and a choice among banks behind them.
//!
//! What a register held for an earlier packet must not be seen. For each thread there is a word with a bit for each register: written
//! since the packet's start. The first row of a packet reads zeros in place of that word, and what it writes back begins anew, so
//! nothing is ever cleared. A thread has one row at a time, so nobody else changes its word between the two.

use super::Shape;
use hardpath_blocks::counters::choose;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Mem, MemStyle, Module, Node};

/// What banks are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Block RAM: one for each bank and place that reads, for up to 512 registers of all threads.
    Block,
    /// LUT RAM, for cores with few threads and registers.
    Distributed,
}

signals! {
    /// A place that reads a register.
    pub struct ReadIn {
        /// Whose bank, where there are several.
        read_bank: maybe "stage 0",
        read_index: one "stage 0: which register of the bank",
        reads: one "stage 0: else the value is zeros",
    }
}

signals! {
    /// What a lane writes into its bank.
    pub struct WriteIn {
        writes: one "stage W",
        write_index: one "stage W: which register of the bank",
        write_value: one "stage W",
    }
}

signals! {
    /// A row in its two stages.
    pub struct RegistersIn {
        read_thread: one "stage 0: the row's thread",
        read_first: maybe "stage 0: the row is its packet's first one",
        reading: numbered ReadIn,
        write_thread: one "stage W: the row's thread",
        write_first: maybe "stage W: the row is its packet's first one",
        writing: numbered WriteIn,
    }
}

signals! {
    /// What was read.
    pub struct RegistersOut {
        values: several "stage 2",
    }
}

impl RegistersIn<u32> {
    /// In bits.
    pub fn widths(shape: &Shape) -> RegistersIn<u32> {
        let thread = index_bits(shape.threads.into());
        let first = shape.zeros.then_some(1);
        RegistersIn {
            read_thread: thread,
            read_first: first,
            reading: vec![
                ReadIn {
                    read_bank: shape.bank_bits(),
                    read_index: shape.index_bits(),
                    reads: 1,
                };
                shape.reads()
            ],
            write_thread: thread,
            write_first: first,
            writing: vec![
                WriteIn {
                    writes: 1,
                    write_index: shape.index_bits(),
                    write_value: 64,
                };
                shape.lanes as usize
            ],
        }
    }
}

/// Stages from an address to the value.
pub const READ_CLOCKS: u32 = 2;

/// The registers of all threads, with two places that read for each lane.
pub fn registers(name: &str, shape: &Shape) -> Block<RegistersIn, RegistersOut> {
    shape.check();
    let mut m = Module::new(name, header(shape));
    let inputs = m.inputs(RegistersIn::widths(shape));
    m.section("Banks");
    let words = words(&mut m, shape, &inputs);
    let nothing = nothing(&mut m, shape, &inputs);
    m.section("Stage 1: choices among the banks");
    let mut values = Vec::new();
    for (place, (reading, banks)) in inputs.reading.iter().zip(words).enumerate() {
        let value = match reading.read_bank {
            Some(bank) => {
                let bank = m.delay(format!("bank_1_{place}"), bank);
                choose(&mut m, &banks, bank)
            }
            None => banks[0],
        };
        // A choice of zeros is what tools make the reset of registers of, which costs no LUT.
        let zeros = m.zero(64);
        let value = m.mux(nothing[place], zeros, value);
        values.push(m.delay(format!("value_{place}"), value));
    }
    m.into_block(inputs, RegistersOut { values })
}

fn header(shape: &Shape) -> String {
    let Shape {
        lanes,
        registers,
        threads,
        ..
    } = shape;
    let zeros = match shape.zeros {
        true => "\nA register that no row of the packet has written yet is zeros.",
        false => "",
    };
    format!(
        "Registers: {lanes} banks of {registers} x 64 bits for each of {threads} threads, one write a bank and {} reads a clock.\n\
         An address belongs to stage 0, the value stands in registers in stage 2. What is written in stage W is read by rows whose\n\
         stage 0 is at least two clocks later; until then the thread has no other row.{zeros}",
        shape.reads()
    )
}

/// Stage 1: of each place that reads the words of all banks.
fn words(m: &mut Module, shape: &Shape, inputs: &RegistersIn) -> Vec<Vec<Node>> {
    let style = match shape.storage {
        Storage::Block => MemStyle::Block,
        Storage::Distributed => MemStyle::Distributed,
    };
    let depth = u32::from(shape.threads) * u32::from(shape.registers);
    let always = m.one();
    let places = inputs.reading.iter().enumerate().map(|(place, reading)| {
        let address = m.concat(&[inputs.read_thread, reading.read_index]);
        let banks = inputs.writing.iter().enumerate().map(|(bank, writing)| {
            let copy = m.mem(format!("bank_{bank}_for_{place}"), 64, depth, style);
            let to = m.concat(&[inputs.write_thread, writing.write_index]);
            m.mem_write(copy, to, writing.write_value, writing.writes);
            m.mem_read_sync(copy, address, always)
        });
        banks.collect()
    });
    places.collect()
}

/// Stage 1: of each place that reads whether its value is zeros, because it reads none or one that was not written.
fn nothing(m: &mut Module, shape: &Shape, inputs: &RegistersIn) -> Vec<Node> {
    m.section("What was written since the packet's start");
    let written = shape.zeros.then(|| written(m, shape, inputs));
    let mut places = Vec::new();
    for (place, reading) in inputs.reading.iter().enumerate() {
        let nothing = match &written {
            Some((marks, not_first)) => {
                let counts = m.and(&[reading.reads, *not_first]);
                let skips = m.not(counts);
                let skips = m.delay(format!("skips_{place}"), skips);
                let mark = mark_of(m, marks, place, reading);
                let no_mark = m.not(mark);
                m.or(&[skips, no_mark])
            }
            None => {
                let nothing = m.not(reading.reads);
                m.delay(format!("nothing_{place}"), nothing)
            }
        };
        places.push(nothing);
    }
    places
}

/// Stage 0: the bits of the row's thread, and that the row is not its packet's first one.
fn written(m: &mut Module, shape: &Shape, inputs: &RegistersIn) -> (Vec<Node>, Node) {
    let bits = u32::from(shape.lanes) * u32::from(shape.registers);
    let threads = shape.threads.into();
    let memory = m.mem("written", bits, threads, MemStyle::Distributed);
    let first = inputs.read_first.expect("a shape with zeros has it");
    let not_first = m.not(first);
    let now = m.mem_read_async(memory, inputs.read_thread);
    mark(m, shape, memory, inputs);
    ((0..bits).map(|bit| m.bit(now, bit)).collect(), not_first)
}

/// Stage 1: the bit of the register that a place reads. One of each four is chosen in stage 0.
fn mark_of(m: &mut Module, marks: &[Node], place: usize, reading: &ReadIn) -> Node {
    let parts = reading.read_bank.into_iter().chain([reading.read_index]);
    let parts: Vec<Node> = parts.collect();
    let register = m.concat(&parts);
    let low = m.slice(register, 0, 2);
    let mut chosen: Vec<Node> = marks.chunks(4).map(|four| choose(m, four, low)).collect();
    chosen.reverse();
    let chosen = m.concat(&chosen);
    let chosen = m.delay(format!("marks_{place}"), chosen);
    let high = m.slice(register, 2, m.width(register) - 2);
    let high = m.delay(format!("mark_{place}"), high);
    let marks: Vec<Node> = (0..m.width(chosen)).map(|bit| m.bit(chosen, bit)).collect();
    choose(m, &marks, high)
}

/// Adds what is written. That is a clock later, when it stands decoded in registers; a row of the thread reads it later still.
fn mark(m: &mut Module, shape: &Shape, memory: Mem, inputs: &RegistersIn) {
    let mut marks = Vec::new();
    for writing in &inputs.writing {
        for register in 0..shape.registers {
            let is_it = m.eq_const(writing.write_index, register.into());
            marks.push(m.and(&[is_it, writing.writes]));
        }
    }
    marks.reverse();
    let new = m.concat(&marks);
    let new = m.delay("newly_written", new);
    let thread = m.delay("newly_thread", inputs.write_thread);
    let first = inputs.write_first.expect("a shape with zeros has it");
    let first = m.delay("newly_first", first);
    let not_first = m.not(first);
    let old = m.mem_read_async(memory, thread);
    let old = m.gate(not_first, old);
    let all = m.or(&[old, new]);
    let always = m.one();
    m.mem_write(memory, thread, all, always);
}
