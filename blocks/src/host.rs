//! The host port: an AXI4-Lite slave with identification, counters, the port table and one map operation at a
//! time. The address map is [`hardpath_registers::REGISTERS`].

mod channels;
mod long;
mod operation;
mod port_table;
mod registers;
mod walk;
mod words;

use crate::answer::ANSWER_BITS;
use crate::axi::{LiteIn, LiteOut};
use crate::counters::latest;
use crate::sweep::{sweep, Sweep};
use hardpath_packet::{Output, COUNTED_BITS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};
pub use long::{Long, LongIn, LONG_BYTES, LONG_CLOCKS};
use operation::Operation;
use words::Words;

/// What the host port must know.
pub struct Host {
    /// Name of the module.
    pub name: String,
    /// What the register DESIGN_ID has: the same for the same design.
    pub design_id: u32,
    /// How many maps there are: operations on others are refused.
    pub maps: u32,
    /// Bits of the widest key (at least 32).
    pub key_bits: u32,
    /// Bits of the widest value that is not long (at least 32).
    pub value_bits: u32,
    /// Maps with long values, which do not stand in registers.
    pub long: Option<Long>,
    /// Bits of the highest number of a slot.
    pub slot_bits: u32,
    /// There is a port table: it gives interface and queue for a port.
    pub has_port_table: bool,
    /// A map must be made ready for an operation before its slot comes ([`crate::lpm`]).
    pub prepares: bool,
    /// A map may answer that an operation goes on in another slot ([`AGAIN`](crate::answer::AGAIN)).
    pub repeats: bool,
    /// What a lookup or dump found comes with `map_done`, else in the clock behind.
    pub found_at_once: bool,
    /// Words that the sweep after reset goes through.
    pub clear_words: u32,
    /// Counters from [`EVENTS`](hardpath_registers::register::EVENTS) on.
    pub events: u32,
}

impl Host {
    fn widths(&self) -> HostIn<u32> {
        HostIn {
            lite: LiteIn::of_words(),
            packet_in: 1,
            dropped_bad: 1,
            dropped_length: 1,
            fate_valid: 1,
            counted: COUNTED_BITS,
            answer: MapAnswer::of(self.key_bits, self.value_bits, self.slot_bits),
            map_prepared: self.prepares.then_some(1),
            early_port: self.has_port_table.then_some(8),
            long: self.long.as_ref().map(LongIn::of),
            event: vec![1; self.events as usize],
        }
    }
}

signals! {
    /// Into the host port.
    pub struct HostIn {
        lite: all LiteIn,
        packet_in: one "strobe: a packet entered the program",
        dropped_bad: one "strobe",
        dropped_length: one "strobe",
        fate_valid: one "strobe",
        counted: one "with the strobe: what the packet is counted as",
        answer: all MapAnswer,
        /// With [`Host::prepares`].
        map_prepared: maybe "the selected map is ready for the operation, from the clock after map_start on",
        /// With [`Host::has_port_table`].
        early_port: maybe "the port of the packet that enters next",
        /// With [`Host::long`].
        long: some LongIn,
        /// [`Host::events`] of them.
        event: several "strobes of further counters",
    }
}

signals! {
    /// What a map operation gave.
    pub struct MapAnswer {
        map_done: one "strobe: the host's operation is over",
        map_answer: one "of the operation",
        /// In the clock behind `map_done`, or with it ([`Host::found_at_once`]); what follows likewise.
        map_value: one "what a lookup or dump found",
        map_key: one "what a dump found",
        map_slot: one "the slot that it was done on, of a dump in vain the last that is seen to be empty",
    }
}

signals! {
    /// Out of the host port.
    pub struct HostOut {
        lite: all LiteOut,
        running: one "packets may enter",
        hold: one "the entrance takes nothing in",
        inject: one "the free slot carries the map operation",
        question: all MapQuestion,
        ports: some PortOut,
        /// With [`Host::long`].
        long_bytes: maybe "16 bytes of a long value, two clocks behind long_row",
    }
}

signals! {
    /// A map operation. All but `map_start` stand still while it is under way.
    pub struct MapQuestion {
        map_select: one "the map that it is for",
        host_command: one "as in MAP_COMMAND, of NEXT a dump",
        /// What an update may do.
        host_may: one "",
        /// The slot of a dump.
        host_slot: one "",
        host_index: one "the slot of a dump, or else the key's first word",
        /// The key, its first word in the lowest bits.
        host_key: one "",
        /// The value of an update, its first word in the lowest bits.
        host_value: one "",
        clear: one "the sweep after reset",
        /// The word that the sweep clears.
        clear_index: one "",
        /// With [`Host::prepares`].
        map_start: maybe "strobe: the selected map gets a command",
        /// Only inside a map that can be larger than what is asked of it.
        most: maybe "so many entries are used of those that there are",
    }
}

signals! {
    /// What the port table has for `early_port`; 0 for a port that it does not have.
    pub struct PortOut {
        port_interface: one "of early_port; 0 for a port that the table does not have",
        port_queue: one "of early_port; 0 for a port that the table does not have",
    }
}

impl MapAnswer<u32> {
    /// With keys, values and numbers of slots of so many bits.
    pub fn of(key_bits: u32, value_bits: u32, slot_bits: u32) -> MapAnswer<u32> {
        MapAnswer {
            map_done: 1,
            map_answer: ANSWER_BITS,
            map_value: value_bits,
            map_key: key_bits,
            map_slot: slot_bits,
        }
    }
}

impl MapQuestion<u32> {
    /// For so many maps, with keys and values of so many bits. `starts`: with [`Host::prepares`].
    pub fn of(
        maps: usize,
        (key_bits, value_bits): (u32, u32),
        clear_words: u32,
        starts: bool,
    ) -> MapQuestion<u32> {
        MapQuestion {
            map_select: crate::index_bits(maps.max(1) as u64),
            host_command: hardpath_registers::field::COMMAND.bits,
            host_may: crate::may::May::BITS,
            host_slot: 32,
            host_index: 32,
            host_key: key_bits,
            host_value: value_bits,
            clear: 1,
            clear_index: crate::index_bits(u64::from(clear_words)),
            map_start: starts.then_some(1),
            most: None,
        }
    }
}

/// What a packet is counted as ([`HostIn::counted`]) whose fate is this one, the outputs and above them whether it comes out.
pub fn counted_as(m: &mut Module, outputs: &[Output], fate: Node) -> Node {
    let first = outputs.first();
    let counted = first.filter(|output| output.is_counted());
    let (lo, bits) = match counted {
        Some(output) => (0, output.width),
        None => (outputs.iter().map(|output| output.width).sum(), 1),
    };
    let number = m.slice(fate, lo, bits);
    m.zext(number, COUNTED_BITS)
}

/// One transaction at a time in each direction; answers take three clocks. A map operation waits for a free slot at
/// the entrance (a few clocks, whatever the traffic; after a reset for the end of the sweep) and passes through the
/// pipeline like a packet; NEXT does so for each slot ([`walk`]). A counter shows an event at most a round of
/// turns later ([`crate::counters`]).
pub fn host(config: &Host) -> Block<HostIn, HostOut> {
    let header = format!(
        "Host port: AXI4-Lite slave, 32-bit data, 16-bit byte addresses. The address map stands in the C header\n\
         beside this file. A map operation stops the entrance for a few clocks, enters the pipeline as a slot\n\
         without packet and passes the maps in order with the packets; its wait is bounded at any traffic.\n\
         SLVERR answers what has no effect: an address without a register, a write of parts of a word or of what\n\
         can only be read, and a write of a map register while a map operation is busy.\n\
         A counter shows an event at most {} clocks later.",
        latest(registers::counters_of(config) as u64)
    );
    let mut m = Module::new(config.name.clone(), header);
    let inputs = m.inputs(config.widths());
    let mut port = HostPort {
        m,
        config,
        inputs: &inputs,
        places: Vec::new(),
    };
    port.m.section("Sweep after reset: every map is cleared");
    let sweep = sweep(&mut port.m, config.clear_words);
    let write = port.write_channel();
    let operation = port.operation(&write, sweep.running);
    let words = port.key_and_value(&write, &operation);
    let read_address = port.m.delay("read_address", inputs.lite.s_axil_araddr);
    let read_word = port.m.slice(read_address, 2, 14);
    port.m.name(read_word, "read_word");
    let long = port.long_values(&write, &operation, read_word);
    let shown = port.counters(read_word);
    let read = port.read_channel();
    let at_map_register = port.m.or(&port.places);
    let may_write = port.m.and(&[at_map_register, operation.still]);
    let mut readable = vec![port.counter_word(&read, read_word, &shown)];
    readable.extend(port.registers(
        read_word,
        (&operation, &words),
        long.as_ref(),
        sweep.running,
    ));
    readable.extend(long.as_ref().map(|long| long.readable));
    let mut writable = vec![may_write];
    let table = inputs
        .early_port
        .map(|early| port.port_table(early, &write, read_word));
    let ports = table.map(|table| {
        readable.push((table.reads_here, table.word));
        writable.push(table.writes_here);
        table.out
    });
    let lite = port.answer((&write, &read), &readable, &writable);
    let m = port.m;
    let outputs = HostOut {
        lite,
        running: sweep.running,
        hold: operation.holding,
        inject: operation.inject,
        question: question(config, &operation, &words, &sweep),
        ports,
        long_bytes: long.map(|long| long.bytes),
    };
    m.into_block(inputs, outputs)
}

/// What the maps are told of the operation.
fn question(config: &Host, operation: &Operation, words: &Words, sweep: &Sweep) -> MapQuestion {
    MapQuestion {
        map_select: operation.map_select,
        host_command: operation.command,
        host_may: operation.may,
        host_slot: operation.slot,
        host_index: words.index,
        host_key: words.key,
        host_value: words.value,
        clear: sweep.clear,
        clear_index: sweep.index,
        map_start: config.prepares.then_some(operation.begin),
        most: None,
    }
}

struct HostPort<'a> {
    m: Module,
    config: &'a Host,
    inputs: &'a HostIn,
    /// The addresses of map registers that are written.
    places: Vec<Node>,
}
