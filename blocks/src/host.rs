//! The host port: an AXI4-Lite slave with identification, counters, the port table and one map operation at a
//! time. The address map is [`hardpath_registers::REGISTERS`].

use crate::answer::{answer_constant, Answer, ANSWER_BITS};
use crate::axi::{LiteIn, LiteOut};
use crate::counters::{choose, counters};
use crate::index_bits;
use crate::may::May;
use crate::sweep::{sweep, Sweep};
use hardpath_registers::{command, field, register, MAGIC, PORTS, VERSION};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// What the host port must know.
pub struct Host {
    pub name: String,
    pub design_id: u32,
    pub maps: u32,
    /// Bits of the widest key and value (at least 32).
    pub key_bits: u32,
    pub value_bits: u32,
    pub has_port_table: bool,
    /// A map must be made ready for an operation before its slot comes ([`crate::lpm`]).
    pub prepares: bool,
    /// Words that the sweep after reset goes through.
    pub clear_words: u32,
}

impl Host {
    fn widths(&self) -> HostIn<u32> {
        HostIn {
            lite: LiteIn::of_words(),
            packet_in: 1,
            dropped_bad: 1,
            dropped_length: 1,
            verdict_valid: 1,
            verdict: 3,
            answer: MapAnswer::of(self.key_bits, self.value_bits),
            map_prepared: self.prepares.then_some(1),
            early_port: self.has_port_table.then_some(8),
        }
    }
}

/// Words that are chosen by the low bits of an address: keys and values begin at multiples of so many.
const PAGE_WORDS: usize = 1024;
/// `enum xdp_action`.
const VERDICTS: [&str; 5] = ["aborted", "drop", "pass", "tx", "redirect"];
const COMMAND_BITS: u32 = field::COMMAND.bits;
/// Clocks between the entrance's hold and the free slot behind it: the last packet enters in the third one, and a dump
/// must come up to four clocks behind it. The next packet enters four clocks after the slot
/// ([`crate::hash::hash_table`] wants both).
const HOLD_CLOCKS: u64 = 7;

signals! {
    /// Into the host port.
    pub struct HostIn {
        lite: all LiteIn,
        packet_in: one "strobe: a packet entered the program",
        dropped_bad: one "strobe",
        dropped_length: one "strobe",
        verdict_valid: one "strobe",
        verdict: one "",
        answer: all MapAnswer,
        /// With [`Host::prepares`].
        map_prepared: maybe "the selected map is ready for the operation, from the clock after map_start on",
        /// With [`Host::has_port_table`].
        early_port: maybe "the port of the packet that enters next",
    }
}

signals! {
    /// What a map operation gave.
    pub struct MapAnswer {
        map_done: one "strobe: the host's operation is over",
        map_answer: one "of the operation",
        map_value: one "what a lookup or dump found, in the clock behind map_done, too",
        map_key: one "what a dump found, likewise",
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
    }
}

signals! {
    /// A map operation. All but `map_start` stand still while it is under way.
    pub struct MapQuestion {
        map_select: one "the map that it is for",
        host_command: one "",
        host_may: one "",
        host_slot: one "",
        host_index: one "the slot of a dump, or else the key's first word",
        host_key: one "",
        host_value: one "",
        clear: one "the sweep after reset",
        clear_index: one "",
        /// With [`Host::prepares`].
        map_start: maybe "strobe: the selected map gets a command",
    }
}

signals! {
    /// What the port table has for `early_port`; 0 for a port that it does not have.
    pub struct PortOut {
        port_ifindex: one "of early_port; 0 for a port that the table does not have",
        port_queue: one "of early_port; 0 for a port that the table does not have",
    }
}

impl MapAnswer<u32> {
    /// With keys and values of so many bits.
    pub fn of(key_bits: u32, value_bits: u32) -> MapAnswer<u32> {
        MapAnswer {
            map_done: 1,
            map_answer: ANSWER_BITS,
            map_value: value_bits,
            map_key: key_bits,
        }
    }
}

/// One transaction at a time in each direction; answers take three clocks. A map operation waits for a free slot at
/// the entrance (a few clocks, whatever the traffic; after a reset for the end of the sweep) and passes through the
/// pipeline like a packet. A counter shows an event at most 8 clocks later ([`crate::counters`]).
pub fn host(config: &Host) -> Block<HostIn, HostOut> {
    let mut m = Module::new(
        config.name.clone(),
        "Host port: AXI4-Lite slave, 32-bit data, 16-bit byte addresses. The address map stands in the C header\n\
         beside this file. A map operation stops the entrance for a few clocks, enters the pipeline as a slot\n\
         without packet and passes the maps in order with the packets; its wait is bounded at any traffic.\n\
         SLVERR answers what has no effect: an address without a register, a write of parts of a word or of what\n\
         can only be read, and a write of a map register while a map operation is busy.\n\
         A counter shows an event at most 8 clocks later.",
    );
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
    let shown = port.counters(read_word);
    let read = port.read_channel();
    let at_map_register = port.m.or(&port.places);
    let may_write = port.m.and(&[at_map_register, operation.still]);
    let mut readable = vec![port.counter_word(&read, read_word, &shown)];
    readable.extend(port.registers(read_word, &operation, &words, sweep.running));
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
    }
}

struct HostPort<'a> {
    m: Module,
    config: &'a Host,
    inputs: &'a HostIn,
    /// The addresses of map registers that are written.
    places: Vec<Node>,
}

/// A write that is taken.
struct Write {
    /// It was taken in the clock before, and is answered from the next clock on.
    answers: Node,
    /// All bytes of its word are written.
    full_word: Node,
    /// A whole word is written in this clock.
    here: Node,
    word: Node,
    data: Node,
    bvalid: Node,
    ready: Node,
}

struct Read {
    /// A word is read in this clock, and the address was the same in the one before.
    here: Node,
    arready: Node,
    rvalid: Node,
}

/// The map operation that is under way, and its registers.
struct Operation {
    /// None is under way.
    still: Node,
    /// A map register may be written in this clock.
    map_write: Node,
    begin: Node,
    /// What it gave comes in this clock, and is taken in the next one.
    finishes: Node,
    holding: Node,
    inject: Node,
    select: Node,
    map_select: Node,
    command: Node,
    may: Node,
    slot: Node,
    status: Node,
}

/// Keys and values.
struct Words {
    key_words: Vec<Node>,
    value_words: Vec<Node>,
    key: Node,
    value: Node,
    index: Node,
}

/// What an address means, and the word there.
type Readable = (Node, Node);

impl HostPort<'_> {
    fn write_channel(&mut self) -> Write {
        let (m, lite) = (&mut self.m, &self.inputs.lite);
        m.section("AXI4-Lite, write channel");
        let (bvalid_reg, bvalid) = m.reg_reset("bvalid", 1, 0);
        let (ready_reg, ready) = m.reg_reset("write_ready", 1, 0);
        let both = m.and(&[lite.s_axil_awvalid, lite.s_axil_wvalid]);
        m.name(both, "write_valid");
        let idle = m.not(bvalid);
        let not_ready = m.not(ready);
        let (answers_reg, answers) = m.reg_reset("write_answers", 1, 0);
        let not_answering = m.not(answers);
        let take_next = m.and(&[both, idle, not_ready, not_answering]);
        m.set_next(ready_reg, take_next);
        // What comes with a valid stands still until it is taken, a clock after it came at the earliest.
        let address = m.delay("write_address", lite.s_axil_awaddr);
        let data = m.delay("write_data", lite.s_axil_wdata);
        let strobes = m.delay("write_strobes", lite.s_axil_wstrb);
        let full_word = m.reduce_and(strobes);
        m.name(full_word, "whole_word");
        // Valid stays until ready, so no port of the design needs to be looked at again.
        let here = m.and(&[ready, full_word]);
        m.name(here, "write");
        let not_bready = m.not(lite.s_axil_bready);
        let pending = m.and(&[bvalid, not_bready]);
        let bvalid_next = m.or(&[answers, pending]);
        m.set_next(bvalid_reg, bvalid_next);
        m.set_next(answers_reg, ready);
        let word = m.slice(address, 2, 14);
        m.name(word, "write_word");
        Write {
            answers,
            full_word,
            here,
            word,
            data,
            bvalid,
            ready,
        }
    }

    /// Whether a map register is written at an address.
    fn at(&mut self, write: &Write, name: &str, address: u32) -> Node {
        let here = self.m.eq_const(write.word, u64::from(address / 4));
        self.m.name(here, format!("at_{name}"));
        self.m.comment(here, format!("address 0x{address:04x}"));
        self.places.push(here);
        here
    }

    /// A register that is written while no operation is under way: its value, and the strobe of its write.
    fn register(
        &mut self,
        write: &Write,
        map_write: Node,
        (name, address, width): (&str, u32, u32),
    ) -> (Node, Node) {
        let (reg, node) = self.m.reg_reset(name, width, 0);
        let here = self.at(write, name, address);
        let enable = self.m.and(&[map_write, here]);
        let data = self.m.slice(write.data, 0, width);
        self.m.set_next_when(reg, enable, data);
        (node, enable)
    }

    fn operation(&mut self, write: &Write, running: Node) -> Operation {
        self.m.section("Map operation");
        let (busy_reg, busy) = self.m.reg_reset("busy", 1, 0);
        let still = self.m.not(busy);
        let map_write = self.m.and(&[write.here, still]);
        self.m.name(map_write, "map_write");
        let mut register = |name: &str, address: u32, width: u32| {
            self.register(write, map_write, (name, address, width))
        };
        let (select, _) = register("map_select", register::MAP_SELECT, 32);
        let (may, _) = register("map_may", register::MAP_MAY, May::BITS);
        let (slot, _) = register("map_slot", register::MAP_SLOT, 32);
        let (command, start) = register("map_command", register::MAP_COMMAND, COMMAND_BITS);
        let known = self.known(select, write.data);
        let m = &mut self.m;
        m.name(start, "start");
        let unknown = m.not(known);
        let begin = m.and(&[start, known]);
        m.name(begin, "begins");
        let fails = m.and(&[start, unknown]);
        m.name(fails, "fails");
        let finishes = m.and(&[busy, self.inputs.answer.map_done]);
        m.name(finishes, "finishes");
        // Keys and values are taken by registers, so the operation is busy until they are.
        let finished = m.delay_reset("finished", finishes);
        let not_finished = m.not(finished);
        let stays_busy = m.and(&[busy, not_finished]);
        let busy_next = m.or(&[begin, stays_busy]);
        m.set_next(busy_reg, busy_next);
        let (holding, inject) = self.free_slot(begin, running);
        let m = &mut self.m;
        let (answer_reg, answer) = m.reg_reset("map_answer_reg", ANSWER_BITS, 0);
        let ended = m.or(&[finishes, fails]);
        let refused = answer_constant(m, Answer::Refused);
        let answer_next = m.mux(fails, refused, self.inputs.answer.map_answer);
        m.set_next_when(answer_reg, ended, answer_next);
        let select_bits = index_bits(u64::from(self.config.maps.max(1)));
        let gap = m.zero(31 - ANSWER_BITS);
        Operation {
            still,
            map_write,
            begin,
            finishes,
            holding,
            inject,
            select,
            map_select: m.slice(select, 0, select_bits),
            command,
            may,
            slot,
            status: m.concat(&[busy, gap, answer]),
        }
    }

    /// Whether what is written is a command, and the selected map exists.
    fn known(&mut self, select: Node, wdata: Node) -> Node {
        let m = &mut self.m;
        let limit = m.constant(u64::from(self.config.maps), 32);
        // A write comes two clocks behind another at the earliest.
        let known_map = m.ult(select, limit);
        let known_map = m.delay("known_map", known_map);
        let command_above = m.slice(wdata, COMMAND_BITS, 32 - COMMAND_BITS);
        let command_above = m.reduce_or(command_above);
        let is_short = m.not(command_above);
        let number = m.slice(wdata, 0, COMMAND_BITS);
        let is_some = m.reduce_or(number);
        let last_command = m.constant(u64::from(command::DUMP), COMMAND_BITS);
        let in_list = m.ule(number, last_command);
        let known_command = m.and(&[is_short, is_some, in_list]);
        m.name(known_command, "known_command");
        let known = m.and(&[known_map, known_command]);
        m.name(known, "known")
    }

    /// Closes the entrance for an operation that begins, when the map is ready: whether it is closed, and the free slot.
    fn free_slot(&mut self, begin: Node, running: Node) -> (Node, Node) {
        let m = &mut self.m;
        let (wait_reg, wait) = m.reg_reset("hold_count", 3, 0);
        let hold_from = m.constant(HOLD_CLOCKS, 3);
        let holding = m.reduce_or(wait);
        m.name(holding, "holding");
        let fewer = m.sub_const(wait, 1);
        let counts = m.and(&[holding, running]);
        let count_down = m.mux(counts, fewer, wait);
        let holds_from_now = match self.inputs.map_prepared {
            Some(prepared) => {
                let (asks_reg, asks) = m.reg_reset("asks", 1, 0);
                let ready = m.and(&[asks, prepared]);
                let not_ready = m.not(prepared);
                let still_asks = m.and(&[asks, not_ready]);
                let asks_next = m.or(&[begin, still_asks]);
                m.set_next(asks_reg, asks_next);
                ready
            }
            None => begin,
        };
        let wait_next = m.mux(holds_from_now, hold_from, count_down);
        m.set_next(wait_reg, wait_next);
        // From a register: the slot chooses among keys in front of every table. The sweep is over once it counts.
        let one_before = m.eq_const(wait, 2);
        let comes = m.and(&[one_before, running]);
        (holding, m.delay_reset("inject", comes))
    }

    fn key_and_value(&mut self, write: &Write, operation: &Operation) -> Words {
        let m = &mut self.m;
        m.section("Key and value");
        let answer = &self.inputs.answer;
        let success = m.eq_const(answer.map_answer, 0);
        m.name(success, "success");
        let is_dump = m.eq_const(operation.command, u64::from(command::DUMP));
        let is_lookup = m.eq_const(operation.command, u64::from(command::LOOKUP));
        m.name(is_dump, "is_dump");
        m.name(is_lookup, "is_lookup");
        let gives = m.or(&[is_dump, is_lookup]);
        let take_value = m.and(&[operation.finishes, success, gives]);
        let take_value = m.delay_reset("take_value", take_value);
        let take_key = m.and(&[operation.finishes, success, is_dump]);
        let take_key = m.delay_reset("take_key", take_key);
        let of_key = ("key", register::KEY);
        let key_words = self.words(write, operation, of_key, (take_key, answer.map_key));
        let of_value = ("value", register::VALUE);
        let value_words = self.words(write, operation, of_value, (take_value, answer.map_value));
        let mut joined = |words: &[Node]| {
            let mut order = words.to_vec();
            order.reverse();
            self.m.concat(&order)
        };
        let (key, value) = (joined(&key_words), joined(&value_words));
        let first_word = self.m.slice(key, 0, 32);
        let index = self.m.mux(is_dump, operation.slot, first_word);
        Words {
            key_words,
            value_words,
            key,
            value,
            index,
        }
    }

    /// The registers of a key or value, from their first address on. `load`: they take `from`, what an operation gave.
    fn words(
        &mut self,
        write: &Write,
        operation: &Operation,
        (name, base): (&str, u32),
        (load, from): (Node, Node),
    ) -> Vec<Node> {
        let bits = self.m.width(from);
        let mut all = Vec::new();
        for word in 0..bits.div_ceil(32) {
            let width = (bits - word * 32).min(32);
            let register = format!("{name}_{word}");
            let here = self.at(write, &register, base + word * 4);
            let m = &mut self.m;
            let (reg, node) = m.reg(register, width);
            let written = m.and(&[operation.map_write, here]);
            let enable = m.or(&[written, load]);
            let loaded = m.slice(from, word * 32, width);
            let data = m.slice(write.data, 0, width);
            let next = m.mux(load, loaded, data);
            m.set_next_when(reg, enable, next);
            all.push(node);
        }
        all
    }

    /// The counters: how many there are, and the count of the one at the address.
    fn counters(&mut self, read_word: Node) -> (u64, Node) {
        let (m, inputs) = (&mut self.m, self.inputs);
        m.section("Counters");
        let mut strobes = vec![
            ("packets_in", inputs.packet_in),
            ("dropped_bad", inputs.dropped_bad),
            ("dropped_length", inputs.dropped_length),
        ];
        for (code, name) in VERDICTS.into_iter().enumerate() {
            let this = m.eq_const(inputs.verdict, code as u64);
            strobes.push((name, m.and(&[inputs.verdict_valid, this])));
        }
        // A counter's place in the memory is what its address ends in.
        strobes.rotate_right(register::PACKETS_IN as usize / 8);
        let count = strobes.len() as u64;
        let shown = m.slice(read_word, 1, index_bits(count));
        (count, counters(m, &strobes, shown))
    }

    fn read_channel(&mut self) -> Read {
        let (m, lite) = (&mut self.m, &self.inputs.lite);
        m.section("AXI4-Lite, read channel");
        let (rvalid_reg, rvalid) = m.reg_reset("rvalid", 1, 0);
        let (arready_reg, arready) = m.reg_reset("read_ready", 1, 0);
        let free = m.not(rvalid);
        let not_arready = m.not(arready);
        // Its address is known when it is taken, and what stands there a clock later.
        let here = m.delay_reset("read", arready);
        let not_here = m.not(here);
        let ar_next = m.and(&[lite.s_axil_arvalid, free, not_arready, not_here]);
        m.set_next(arready_reg, ar_next);
        let not_rready = m.not(lite.s_axil_rready);
        let waits = m.and(&[rvalid, not_rready]);
        let rvalid_next = m.or(&[here, waits]);
        m.set_next(rvalid_reg, rvalid_next);
        Read {
            here,
            arready,
            rvalid,
        }
    }

    /// The count that is read, of 64 bits: its low word first, which latches the high one.
    fn counter_word(
        &mut self,
        read: &Read,
        read_word: Node,
        (counters, shown): &(u64, Node),
    ) -> Readable {
        let m = &mut self.m;
        let first_counter = u64::from(register::PACKETS_IN / 8);
        let counter_page = m.slice(read_word, 1, 13);
        let of_counters =
            (0..*counters).map(|place| m.eq_const(counter_page, first_counter + place));
        let of_counters: Vec<Node> = of_counters.collect();
        let at_counter = m.or(&of_counters);
        let at_counter = m.delay("at_counter", at_counter);
        let high_word = m.bit(read_word, 0);
        let low_word = m.not(high_word);
        let (latch_reg, latched) = m.reg_reset("latched_high", 32, 0);
        let latch = m.and(&[read.here, at_counter, low_word]);
        let high = m.slice(*shown, 32, 32);
        m.set_next_when(latch_reg, latch, high);
        let low = m.slice(*shown, 0, 32);
        (at_counter, m.mux(high_word, latched, low))
    }

    /// All registers but counters and port table, in the order of their addresses. A page begins at a multiple of its size.
    fn registers(
        &mut self,
        read_word: Node,
        operation: &Operation,
        words: &Words,
        running: Node,
    ) -> Vec<Readable> {
        let m = &mut self.m;
        let magic = m.constant(u64::from(MAGIC), 32);
        let version = m.constant(u64::from(VERSION), 32);
        let id = m.constant(u64::from(self.config.design_id), 32);
        let no_word = m.zero(32);
        let identification = vec![magic, version, id, running];
        let Operation {
            select,
            status,
            may,
            slot,
            ..
        } = *operation;
        let may = m.zext(may, 32);
        let of_operation = vec![select, no_word, status, may, slot];
        let mut pages = vec![
            ("identification", register::MAGIC, identification),
            ("operation", register::MAP_SELECT, of_operation),
        ];
        for (name, first, words) in [
            ("key", register::KEY, &words.key_words),
            ("value", register::VALUE, &words.value_words),
        ] {
            let addresses = (first..).step_by(PAGE_WORDS * 4);
            let chunks = words.chunks(PAGE_WORDS).map(<[Node]>::to_vec);
            let all = addresses.zip(chunks);
            pages.extend(all.map(|(address, words)| (name, address, words)));
        }
        pages
            .into_iter()
            .map(|page| self.page(read_word, page))
            .collect()
    }

    fn page(
        &mut self,
        read_word: Node,
        (name, address, words): (&str, u32, Vec<Node>),
    ) -> Readable {
        let m = &mut self.m;
        let words: Vec<Node> = words.into_iter().map(|word| m.zext(word, 32)).collect();
        let bits = index_bits(words.len() as u64);
        let index = m.slice(read_word, 0, bits);
        let page = m.slice(read_word, bits, 14 - bits);
        let mut here = m.eq_const(page, u64::from(address / 4) >> bits);
        if !words.len().is_power_of_two() {
            let count = m.constant(words.len() as u64, bits);
            let within = m.ult(index, count);
            here = m.and(&[here, within]);
        }
        let word = choose(m, &words, index);
        (
            m.delay(format!("reads_{name}"), here),
            m.name(word, format!("{name}_word")),
        )
    }

    /// The answers on both channels.
    fn answer(
        &mut self,
        (write, read): (&Write, &Read),
        readable: &[Readable],
        writable: &[Node],
    ) -> LiteOut {
        let m = &mut self.m;
        let terms: Vec<Node> = readable
            .iter()
            .map(|(here, word)| m.gate(*here, *word))
            .collect();
        let answer = m.or(&terms);
        let (rdata_reg, rdata) = m.reg("rdata", 32);
        m.set_next_when(rdata_reg, read.here, answer);
        m.section("AXI4-Lite, responses: OKAY or SLVERR");
        let readable: Vec<Node> = readable.iter().map(|(here, _)| *here).collect();
        let readable = m.or(&readable);
        m.name(readable, "readable");
        let writable = m.or(writable);
        m.name(writable, "writable");
        let effective = m.and(&[write.full_word, writable]);
        let effective = m.delay("effective", effective);
        let mut response = |name: &str, when: Node, fine: Node| {
            let (reg, refused) = m.reg_reset(format!("{name}_slverr"), 1, 0);
            let refuses = m.not(fine);
            m.set_next_when(reg, when, refuses);
            let low = m.zero(1);
            m.concat(&[refused, low])
        };
        LiteOut {
            s_axil_awready: write.ready,
            s_axil_wready: write.ready,
            s_axil_bresp: response("bresp", write.answers, effective),
            s_axil_bvalid: write.bvalid,
            s_axil_arready: read.arready,
            s_axil_rdata: rdata,
            s_axil_rresp: response("rresp", read.here, readable),
            s_axil_rvalid: read.rvalid,
        }
    }

    /// The port table: for each of 16 ports an ifindex and a number that is added to the queue.
    fn port_table(&mut self, early_port: Node, write: &Write, read_word: Node) -> PortTable {
        let m = &mut self.m;
        m.section("Port table");
        let bits = index_bits(u64::from(PORTS));
        let base = u64::from(register::PORT_TABLE / 4);
        let above = bits + 1;
        let page = m.slice(write.word, above, 14 - above);
        let writes_here = m.eq_const(page, base >> above);
        m.name(writes_here, "at_port_table");
        let hit = m.and(&[write.here, writes_here]);
        let page = m.slice(read_word, above, 14 - above);
        let reads_here = m.eq_const(page, base >> above);
        let reads_here = m.delay("reads_port_table", reads_here);
        let port_high = m.slice(early_port, bits, 8 - bits);
        let beyond = m.reduce_or(port_high);
        let known = m.not(beyond);
        m.name(known, "known_port");
        let port = m.slice(early_port, 0, bits);
        let write_port = m.slice(write.word, 1, bits);
        let read_port = m.slice(read_word, 1, bits);
        let writes_queue = m.bit(write.word, 0);
        let reads_queue = m.bit(read_word, 0);
        let writes_ifindex = m.not(writes_queue);
        // What the table has for the packet's port, and for the one that is read.
        let mut column = |name: &str, width: u32, is_written: Node| {
            let memory = m.mem(format!("{name}_table"), width, PORTS, MemStyle::Distributed);
            let enable = m.and(&[hit, is_written]);
            let data = m.slice(write.data, 0, width);
            m.mem_write(memory, write_port, data, enable);
            let value = m.mem_read_async(memory, port);
            let given = m.gate(known, value);
            let read = m.mem_read_async(memory, read_port);
            (given, m.zext(read, 32))
        };
        let (port_ifindex, ifindex) = column("port_ifindex", field::IFINDEX.bits, writes_ifindex);
        let (port_queue, queue) = column("port_queue", field::FIRST_QUEUE.bits, writes_queue);
        PortTable {
            reads_here,
            word: m.mux(reads_queue, queue, ifindex),
            writes_here,
            out: PortOut {
                port_ifindex,
                port_queue,
            },
        }
    }
}

/// What the AXI4-Lite channels must know of the port table.
struct PortTable {
    reads_here: Node,
    word: Node,
    writes_here: Node,
    out: PortOut,
}
