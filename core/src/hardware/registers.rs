//! The registers of all threads.
//!
//! A lane has a bank of its own, which it alone writes, so a bank has one write port. Each place that reads can read any bank, in every
//! clock: for each there is a copy of each bank, and a choice among banks behind them.
//!
//! A register that no row of its packet has written holds what an earlier packet left: programs do not read such, as the
//! [`verifier`](crate::verifier) sees to.

use super::Shape;
use hardpath_blocks::counters::choose;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

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
        write_thread: one "stage W: whose register",
        write_index: one "stage W: which register of the bank",
        write_value: one "stage W",
    }
}

signals! {
    /// What rows read and write.
    pub struct RegistersIn {
        read_thread: one "stage 0: the row's thread",
        reading: numbered ReadIn,
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
        RegistersIn {
            read_thread: thread,
            reading: vec![
                ReadIn {
                    read_bank: shape.bank_bits(),
                    read_index: shape.index_bits(),
                    reads: 1,
                };
                shape.reads()
            ],
            writing: vec![
                WriteIn {
                    writes: 1,
                    write_thread: thread,
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
        let nothing = m.not(reading.reads);
        let nothing = m.delay(format!("nothing_{place}"), nothing);
        let value = m.mux(nothing, zeros, value);
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
    format!(
        "Registers: {lanes} banks of {registers} x 64 bits for each of {threads} threads, one write a bank and {} reads a clock.\n\
         An address belongs to stage 0, the value stands in registers in stage 2. What is written in stage W is read by rows whose\n\
         stage 0 is at least two clocks later; until then the thread has no other row.",
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
            let to = m.concat(&[writing.write_thread, writing.write_index]);
            m.mem_write(copy, to, writing.write_value, writing.writes);
            m.mem_read_sync(copy, address, always)
        });
        banks.collect()
    });
    places.collect()
}
