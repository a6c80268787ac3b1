//! The packet memory: a ring of lines in eight banks, which takes lines and stores and gives loads and lines.
//!
//! ```text
//! stores ─► row ─► (rows wait) ─► turned to banks ─┐
//! line ──────────► held ───────────────────────────┴─► write port of each bank ─► copies, one for each reader
//! ```
//!
//! * A bank has words of 8 bytes, and each byte a ninth bit: a store has written it. A bank's one write port serves the stores first;
//!   a line waits for the banks that these use, each of its words for itself.
//! * The stores of a clock are a *row*. Those that share a word are written together, each its bytes, the last one on top.
//!   Only where two of them want different words of a bank the row takes another clock, and rows behind it wait.
//! * Every reader has a copy of all banks. A load that is not aligned reads two banks at once.

mod loads;
mod stores;

use super::{Ring, LINE_BYTES};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Mem, MemStyle, Module, Node};
use loads::load;
use stores::{Stores, WriteOut};

/// Banks of the ring.
pub const BANKS: u32 = 8;
/// Bytes of a bank's word, and the most of a load or store.
pub const BANK_BYTES: u32 = LINE_BYTES / BANKS;
/// Bits of the number of a byte in an access, up to the one behind its last.
pub const BOUND_BITS: u32 = 4;
/// Clocks from a load to what it gives.
pub const LOAD_CLOCKS: u32 = 4;
/// Clocks from asking for a line to having it.
pub const READ_CLOCKS: u32 = 1;
/// From so many clocks on behind a store that never waited a load sees it.
pub const STORE_CLOCKS: u32 = 2;
/// So much later than a load sees what a store has written, a read of a line does.
pub const READ_LATER: u32 = 1;

/// What the memory must know.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Name of the module.
    pub name: String,
    /// What it holds.
    pub ring: Ring,
    /// Loads in a clock.
    pub loads: u32,
    /// Stores in a clock, at least one.
    pub stores: u32,
    /// Rows of stores that can wait: a power of two.
    pub queue: u32,
    /// Rows that may still come when `room` is 0; two less than `queue` at most.
    pub flight: u32,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            name: "packet_memory".into(),
            ring: Ring::default(),
            loads: 2,
            stores: 2,
            queue: 16,
            flight: 10,
        }
    }
}

impl Memory {
    /// From so many clocks on behind any store a load sees it.
    pub fn most_store_clocks(&self) -> u32 {
        // In front of the last row stand those that wait, and the one that is written; each takes a clock for each store.
        STORE_CLOCKS + (self.queue + 1) * self.stores
    }
}

signals! {
    /// A line that comes in.
    pub struct LineIn {
        line_valid: one "a line is offered; it stays until it is taken",
        line_index: one "which one",
        line_zeros: one "it has zeros, whatever the data is",
        line_data: one "byte 0 in bits 7:0",
    }
}

signals! {
    /// A store.
    pub struct StoreIn {
        store_valid: one "bytes are written",
        store_address: one "of byte 0 of the data, in the ring",
        store_first: one "the first byte of the data that is written",
        store_end: one "behind the last one; not before the first one",
        store_data: one "byte 0 in bits 7:0",
    }
}

signals! {
    /// A load.
    pub struct LoadIn {
        load_address: one "of byte 0 of what is given, in the ring",
        load_first: one "bytes before this are zeros",
        load_end: one "bytes from here on are zeros",
    }
}

signals! {
    /// What a load gives.
    pub struct LoadOut {
        load_data: one "of the load four clocks before",
    }
}

signals! {
    /// A line that is read.
    pub struct ReadIn {
        read: one "0: the line that was read stays",
        read_index: one "which line is read",
    }
}

signals! {
    /// Into the packet memory.
    pub struct MemoryIn {
        line: all LineIn,
        stores: numbered StoreIn,
        loads: numbered LoadIn,
        read: all ReadIn,
    }
}

signals! {
    /// Out of the packet memory.
    pub struct MemoryOut {
        line_ready: one "the line is taken, and all that were taken before are written",
        room: one "rows of stores may come",
        loads: numbered LoadOut,
        read_data: one "the line that was read last; from a block RAM",
        read_written: one "a bit for each byte: a store has written it",
    }
}

/// Makes the memory.
pub fn memory(config: &Memory) -> Block<MemoryIn, MemoryOut> {
    let mut m = Module::new(config.name.clone(), contract(config));
    let inputs = m.inputs(widths(config));
    m.section("Stores");
    let stores = Stores::new(&mut m, config, &inputs.stores);
    let write = stores.written(&mut m, &inputs.line);
    let mut loads = Vec::new();
    for (number, inputs) in inputs.loads.iter().enumerate() {
        m.section(format!("Load {number}"));
        let banks = banks(&mut m, config, &format!("load_{number}"), &write, false);
        let load_data = load(&mut m, &format!("load_{number}"), &banks, inputs);
        loads.push(LoadOut { load_data });
    }
    m.section("A line is read");
    let banks = banks(&mut m, config, "line", &write, true);
    let (read_data, read_written) = read_line(&mut m, &banks, &inputs.read);
    let outputs = MemoryOut {
        line_ready: write.line_ready,
        room: stores.room,
        loads,
        read_data,
        read_written,
    };
    m.into_block(inputs, outputs)
}

fn contract(config: &Memory) -> String {
    format!(
        "The packet memory: a ring of {} lines of 64 bytes, in 8 banks.\n\
         A row of stores is taken in every clock in which one of them is valid; its bytes are in the order of the stores,\n\
         and rows in order. Who gives rows stops when room is 0: {} more may come then. A load sees a row of {STORE_CLOCKS} clocks\n\
         before if no row waited, and of {} clocks before always; a read of a line {READ_LATER} later than a load would.\n\
         A line waits for banks that stores want. It marks all its bytes as not written by a store.\n\
         A load gives its bytes {LOAD_CLOCKS} clocks later, a read {READ_CLOCKS}; neither ever waits.",
        config.ring.lines,
        config.flight,
        config.most_store_clocks(),
    )
}

fn widths(config: &Memory) -> MemoryIn<u32> {
    let (line, address) = (config.ring.line_bits(), config.ring.address_bits());
    let store = StoreIn {
        store_valid: 1,
        store_address: address,
        store_first: BOUND_BITS,
        store_end: BOUND_BITS,
        store_data: BANK_BYTES * 8,
    };
    let load = LoadIn {
        load_address: address,
        load_first: BOUND_BITS,
        load_end: BOUND_BITS,
    };
    MemoryIn {
        line: LineIn {
            line_valid: 1,
            line_index: line,
            line_zeros: 1,
            line_data: LINE_BYTES * 8,
        },
        stores: vec![store; config.stores as usize],
        loads: vec![load; config.loads as usize],
        read: ReadIn {
            read: 1,
            read_index: line,
        },
    }
}

/// A copy of all banks for a reader, which may want to know what stores have written.
fn banks(
    m: &mut Module,
    config: &Memory,
    name: &str,
    write: &WriteOut,
    has_written: bool,
) -> Vec<Mem> {
    let bits = if has_written { 9 } else { 8 };
    let mut banks = Vec::new();
    for (number, bank) in write.banks.iter().enumerate() {
        let name = format!("{name}_bank_{number}");
        let mem = m.mem(name, BANK_BYTES * bits, config.ring.lines, MemStyle::Block);
        let mut word = Vec::new();
        for lane in (0..BANK_BYTES).rev() {
            if has_written {
                word.push(m.bit(bank.by_store, lane));
            }
            word.push(m.slice(bank.data, lane * 8, 8));
        }
        let word = m.concat(&word);
        m.mem_write(mem, bank.line, word, bank.lanes);
        banks.push(mem);
    }
    banks
}

/// The line that was asked for a clock before, and which of its bytes stores have written.
fn read_line(m: &mut Module, banks: &[Mem], inputs: &ReadIn) -> (Node, Node) {
    let (mut data, mut written) = (Vec::new(), Vec::new());
    for bank in banks.iter().rev() {
        let word = m.mem_read_sync(*bank, inputs.read_index, inputs.read);
        for lane in (0..BANK_BYTES).rev() {
            data.push(m.slice(word, lane * 9, 8));
            written.push(m.bit(word, lane * 9 + 8));
        }
    }
    (m.concat(&data), m.concat(&written))
}
