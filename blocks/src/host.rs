//! The host port: an AXI4-Lite slave with identification, counters, the port table and one map operation at a
//! time. The address map is [`crate::interface`].

use crate::counters::{choose, counters};
use crate::errno::{errno_constant, EINVAL, ERRNO_BITS};
use crate::index_bits;
use crate::interface::{command, register, MAGIC, VERSION};
use hardpath_rtl::{MemStyle, Module, Node};

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

/// Entries of the port table.
pub const PORTS: u32 = 16;
/// Words that are chosen by the low bits of an address: keys and values begin at multiples of so many.
const PAGE_WORDS: usize = 1024;
/// `enum xdp_action`.
const VERDICTS: [&str; 5] = ["aborted", "drop", "pass", "tx", "redirect"];
const COMMAND_BITS: u32 = 3;
/// Clocks between the entrance's hold and the free slot behind it: the last packet enters in the third one, and a dump
/// must come up to four clocks behind it. The next packet enters four clocks after the slot
/// ([`crate::hash::hash_table`] wants both).
const HOLD_CLOCKS: u64 = 7;

/// One transaction at a time in each direction; answers take two clocks. A map operation waits for a free slot at
/// the entrance (a few clocks, whatever the traffic; after a reset for the end of the sweep) and passes through the
/// pipeline like a packet. A counter shows an event at most 8 clocks later ([`crate::counters`]).
pub fn host(config: &Host) -> Module {
    let mut m = Module::new(
        config.name.clone(),
        "Host port: AXI4-Lite slave, 32-bit data, 16-bit byte addresses. The address map stands in the C header\n\
         beside this file. A map operation stops the entrance for a few clocks, enters the pipeline as a slot\n\
         without packet and passes the maps in order with the packets; its wait is bounded at any traffic.\n\
         SLVERR answers what has no effect: an address without a register, a write of parts of a word or of what\n\
         can only be read, and a write of a map register while a map operation is busy.\n\
         A counter shows an event at most 8 clocks later.",
    );
    let awaddr = m.input("s_axil_awaddr", 16, "");
    let awvalid = m.input("s_axil_awvalid", 1, "");
    let wdata = m.input("s_axil_wdata", 32, "");
    let wstrb = m.input("s_axil_wstrb", 4, "whole words only");
    let wvalid = m.input("s_axil_wvalid", 1, "");
    let bready = m.input("s_axil_bready", 1, "");
    let araddr = m.input("s_axil_araddr", 16, "");
    let arvalid = m.input("s_axil_arvalid", 1, "");
    let rready = m.input("s_axil_rready", 1, "");
    let packet_in = m.input("packet_in", 1, "strobe: a packet entered the program");
    let dropped_bad = m.input("dropped_bad", 1, "strobe");
    let dropped_length = m.input("dropped_length", 1, "strobe");
    let verdict_valid = m.input("verdict_valid", 1, "strobe");
    let verdict = m.input("verdict", 3, "");
    let map_done = m.input("map_done", 1, "strobe: the map operation is over");
    let map_errno = m.input("map_errno", ERRNO_BITS, "");
    let map_value = m.input("map_value", config.value_bits, "");
    let map_key = m.input("map_key", config.key_bits, "");
    let prepared = config.prepares.then(|| {
        m.input(
            "map_prepared",
            1,
            "the selected map is ready for the operation, from the clock after map_start on",
        )
    });

    m.section("Sweep after reset: every map is cleared");
    let clear_bits = index_bits(u64::from(config.clear_words));
    let (running_reg, running) = m.reg_reset("running", 1, 0);
    let (clear_reg, clear_index) = m.reg_reset("clear_count", clear_bits, 0);
    let clear = m.not(running);
    let clear_next = m.add_const(clear_index, 1);
    m.set_next_when(clear_reg, clear, clear_next);
    let at_end = m.eq_const(clear_index, u64::from(config.clear_words) - 1);
    let one = m.one();
    m.set_next_when(running_reg, at_end, one);
    m.output("running", running, "packets may enter");
    m.output("clear", clear, "");
    m.output("clear_index", clear_index, "");

    m.section("AXI4-Lite, write channel");
    let (bvalid_reg, bvalid) = m.reg_reset("bvalid", 1, 0);
    let (ready_reg, ready) = m.reg_reset("write_ready", 1, 0);
    let both = m.and(&[awvalid, wvalid]);
    m.name(both, "write_valid");
    let idle = m.not(bvalid);
    let not_ready = m.not(ready);
    let take_next = m.and(&[both, idle, not_ready]);
    m.set_next(ready_reg, take_next);
    let full_word = m.reduce_and(wstrb);
    m.name(full_word, "whole_word");
    let taken = m.and(&[ready, both]);
    m.name(taken, "write_taken");
    let write = m.and(&[taken, full_word]);
    m.name(write, "write");
    let not_bready = m.not(bready);
    let pending = m.and(&[bvalid, not_bready]);
    let bvalid_next = m.or(&[taken, pending]);
    m.set_next(bvalid_reg, bvalid_next);
    m.output("s_axil_awready", ready, "");
    m.output("s_axil_wready", ready, "");
    m.output("s_axil_bvalid", bvalid, "");
    let write_word = m.slice(awaddr, 2, 14);
    m.name(write_word, "write_word");

    m.section("Map operation");
    let (busy_reg, busy) = m.reg_reset("busy", 1, 0);
    let (wait_reg, wait) = m.reg_reset("hold_count", 3, 0);
    let still = m.not(busy);
    let map_write = m.and(&[write, still]);
    m.name(map_write, "map_write");
    // Where a map register is.
    let mut places = Vec::new();
    let mut at = |m: &mut Module, name: &str, address: u32| {
        let here = m.eq_const(write_word, u64::from(address / 4));
        m.name(here, format!("at_{name}"));
        m.comment(here, format!("address 0x{address:04x}"));
        places.push(here);
        here
    };
    let mut plain = |m: &mut Module, name: &str, address: u32, width: u32| {
        let (reg, node) = m.reg_reset(name, width, 0);
        let here = at(m, name, address);
        let enable = m.and(&[map_write, here]);
        let data = m.slice(wdata, 0, width);
        m.set_next_when(reg, enable, data);
        (node, enable)
    };
    let (select, _) = plain(&mut m, "map_select", register::MAP_SELECT, 32);
    let (flags, _) = plain(&mut m, "map_flags", register::MAP_FLAGS, 32);
    let (slot, _) = plain(&mut m, "map_slot", register::MAP_SLOT, 32);
    let (command, start) = plain(&mut m, "map_command", register::MAP_COMMAND, COMMAND_BITS);
    m.name(start, "start");
    let limit = m.constant(u64::from(config.maps), 32);
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
    m.name(known, "known");
    let unknown = m.not(known);
    let begin = m.and(&[start, known]);
    m.name(begin, "begins");
    let fails = m.and(&[start, unknown]);
    m.name(fails, "fails");
    let finished = m.and(&[busy, map_done]);
    m.name(finished, "finished");
    let not_finished = m.not(finished);
    let stays_busy = m.and(&[busy, not_finished]);
    let busy_next = m.or(&[begin, stays_busy]);
    m.set_next(busy_reg, busy_next);
    let hold_from = m.constant(HOLD_CLOCKS, 3);
    let holding = m.reduce_or(wait);
    m.name(holding, "holding");
    let fewer = m.sub_const(wait, 1);
    let counts = m.and(&[holding, running]);
    let count_down = m.mux(counts, fewer, wait);
    let holds_from_now = match prepared {
        Some(prepared) => {
            m.output(
                "map_start",
                begin,
                "strobe: the selected map gets a command",
            );
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
    let last = m.eq_const(wait, 1);
    let inject = m.and(&[last, running]);
    m.output("hold", holding, "the entrance takes nothing in");
    m.output("inject", inject, "the free slot carries the map operation");
    let (errno_reg, errno) = m.reg_reset("errno", ERRNO_BITS, 0);
    let ended = m.or(&[finished, fails]);
    let einval = errno_constant(&mut m, EINVAL);
    let errno_next = m.mux(fails, einval, map_errno);
    m.set_next_when(errno_reg, ended, errno_next);
    let chosen = m.slice(select, 0, index_bits(u64::from(config.maps.max(1))));
    m.output("map_select", chosen, "");
    m.output("host_command", command, "");
    m.output("host_flags", flags, "");
    m.output("host_slot", slot, "");

    m.section("Key and value");
    let success = m.eq_const(map_errno, 0);
    m.name(success, "success");
    let is_dump = m.eq_const(command, u64::from(command::DUMP));
    let is_lookup = m.eq_const(command, u64::from(command::LOOKUP));
    m.name(is_dump, "is_dump");
    m.name(is_lookup, "is_lookup");
    let gives = m.or(&[is_dump, is_lookup]);
    let take_value = m.and(&[finished, success, gives]);
    m.name(take_value, "take_value");
    let take_key = m.and(&[finished, success, is_dump]);
    m.name(take_key, "take_key");
    let mut words = |m: &mut Module, name: &str, base: u32, bits: u32, load: Node, from: Node| {
        let mut all = Vec::new();
        for word in 0..bits.div_ceil(32) {
            let width = (bits - word * 32).min(32);
            let register = format!("{name}_{word}");
            let here = at(m, &register, base + word * 4);
            let (reg, node) = m.reg(register, width);
            let written = m.and(&[map_write, here]);
            let enable = m.or(&[written, load]);
            let loaded = m.slice(from, word * 32, width);
            let data = m.slice(wdata, 0, width);
            let next = m.mux(load, loaded, data);
            m.set_next_when(reg, enable, next);
            all.push(node);
        }
        all
    };
    let key_words = words(
        &mut m,
        "key",
        register::KEY,
        config.key_bits,
        take_key,
        map_key,
    );
    let value_words = words(
        &mut m,
        "value",
        register::VALUE,
        config.value_bits,
        take_value,
        map_value,
    );
    let joined = |m: &mut Module, words: &[Node]| {
        let mut order = words.to_vec();
        order.reverse();
        m.concat(&order)
    };
    let key = joined(&mut m, &key_words);
    let value = joined(&mut m, &value_words);
    m.output("host_key", key, "");
    m.output("host_value", value, "");
    let first_word = m.slice(key, 0, 32);
    let index = m.mux(is_dump, slot, first_word);
    m.output(
        "host_index",
        index,
        "the slot of a dump, or else the key's first word",
    );

    m.section("Counters");
    let mut strobes = vec![
        ("packets_in", packet_in),
        ("dropped_bad", dropped_bad),
        ("dropped_length", dropped_length),
    ];
    for (code, name) in VERDICTS.into_iter().enumerate() {
        let this = m.eq_const(verdict, code as u64);
        strobes.push((name, m.and(&[verdict_valid, this])));
    }
    // A counter's place in the memory is what its address ends in.
    strobes.rotate_right(register::PACKETS_IN as usize / 8);
    let read_word = m.slice(araddr, 2, 14);
    m.name(read_word, "read_word");
    let shown = m.slice(read_word, 1, index_bits(strobes.len() as u64));
    let shown = counters(&mut m, &strobes, shown);

    m.section("AXI4-Lite, read channel");
    let (rvalid_reg, rvalid) = m.reg_reset("rvalid", 1, 0);
    let (arready_reg, arready) = m.reg_reset("read_ready", 1, 0);
    let free = m.not(rvalid);
    let not_arready = m.not(arready);
    let ar_next = m.and(&[arvalid, free, not_arready]);
    m.set_next(arready_reg, ar_next);
    let read = m.and(&[arready, arvalid]);
    m.name(read, "read");
    let not_rready = m.not(rready);
    let waits = m.and(&[rvalid, not_rready]);
    let rvalid_next = m.or(&[read, waits]);
    m.set_next(rvalid_reg, rvalid_next);
    let first_counter = u64::from(register::PACKETS_IN / 8);
    let counter_page = m.slice(read_word, 1, 13);
    let of_counters =
        (0..strobes.len() as u64).map(|place| m.eq_const(counter_page, first_counter + place));
    let of_counters: Vec<Node> = of_counters.collect();
    let at_counter = m.or(&of_counters);
    m.name(at_counter, "at_counter");
    let high_word = m.bit(read_word, 0);
    let low_word = m.not(high_word);
    let (latch_reg, latched) = m.reg_reset("latched_high", 32, 0);
    let latch = m.and(&[read, at_counter, low_word]);
    let high = m.slice(shown, 32, 32);
    m.set_next_when(latch_reg, latch, high);
    let low = m.slice(shown, 0, 32);
    let count = m.mux(high_word, latched, low);
    let magic = m.constant(u64::from(MAGIC), 32);
    let version = m.constant(u64::from(VERSION), 32);
    let id = m.constant(u64::from(config.design_id), 32);
    let gap = m.zero(26);
    let status = m.concat(&[busy, gap, errno]);
    let no_word = m.zero(32);
    // In the order of their addresses. A page begins at a multiple of its size.
    let mut pages = vec![
        (
            "identification",
            register::MAGIC,
            vec![magic, version, id, running],
        ),
        (
            "operation",
            register::MAP_SELECT,
            vec![select, no_word, status, flags, slot],
        ),
    ];
    for (name, first, words) in [
        ("key", register::KEY, key_words),
        ("value", register::VALUE, value_words),
    ] {
        let addresses = (first..).step_by(PAGE_WORDS * 4);
        let chunks = words.chunks(PAGE_WORDS).map(<[Node]>::to_vec);
        pages.extend(
            addresses
                .zip(chunks)
                .map(|(address, words)| (name, address, words)),
        );
    }
    // What is where, and its word.
    let mut readable = vec![(at_counter, count)];
    for (name, address, words) in pages {
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
        m.name(here, format!("reads_{name}"));
        let word = choose(&mut m, &words, index);
        readable.push((here, word));
    }
    let at_map_register = m.or(&places);
    let mut writable = vec![m.and(&[at_map_register, still])];
    if config.has_port_table {
        let table = port_table(&mut m, write, write_word, wdata, read_word);
        readable.push((table.reads_here, table.word));
        writable.push(table.writes_here);
    }
    let terms: Vec<Node> = readable
        .iter()
        .map(|(here, word)| m.gate(*here, *word))
        .collect();
    let answer = m.or(&terms);
    let (rdata_reg, rdata) = m.reg("rdata", 32);
    m.set_next_when(rdata_reg, read, answer);
    m.output("s_axil_arready", arready, "");
    m.output("s_axil_rdata", rdata, "");
    m.output("s_axil_rvalid", rvalid, "");

    m.section("AXI4-Lite, responses: OKAY or SLVERR");
    let readable: Vec<Node> = readable.into_iter().map(|(here, _)| here).collect();
    let readable = m.or(&readable);
    m.name(readable, "readable");
    let writable = m.or(&writable);
    m.name(writable, "writable");
    let effective = m.and(&[full_word, writable]);
    for (name, when, fine) in [("bresp", taken, effective), ("rresp", read, readable)] {
        let (reg, refused) = m.reg_reset(format!("{name}_slverr"), 1, 0);
        let refuses = m.not(fine);
        m.set_next_when(reg, when, refuses);
        let low = m.zero(1);
        let response = m.concat(&[refused, low]);
        m.output(format!("s_axil_{name}"), response, "");
    }

    m
}

/// What the AXI4-Lite channels must know of the port table.
struct PortTable {
    reads_here: Node,
    word: Node,
    writes_here: Node,
}

/// The port table: for each of 16 ports an ifindex and a number that is added to the queue.
fn port_table(
    m: &mut Module,
    write: Node,
    write_word: Node,
    wdata: Node,
    read_word: Node,
) -> PortTable {
    m.section("Port table");
    let early_port = m.input("early_port", 8, "the port of the packet that enters next");
    let bits = index_bits(u64::from(PORTS));
    let base = u64::from(register::PORT_TABLE / 4);
    let above = bits + 1;
    let page = m.slice(write_word, above, 14 - above);
    let writes_here = m.eq_const(page, base >> above);
    m.name(writes_here, "at_port_table");
    let hit = m.and(&[write, writes_here]);
    let page = m.slice(read_word, above, 14 - above);
    let reads_here = m.eq_const(page, base >> above);
    m.name(reads_here, "reads_port_table");
    let port_high = m.slice(early_port, bits, 8 - bits);
    let beyond = m.reduce_or(port_high);
    let known = m.not(beyond);
    m.name(known, "known_port");
    let port = m.slice(early_port, 0, bits);
    let write_port = m.slice(write_word, 1, bits);
    let read_port = m.slice(read_word, 1, bits);
    let writes_queue = m.bit(write_word, 0);
    let reads_queue = m.bit(read_word, 0);
    let column = |m: &mut Module, name: &str, width: u32, is_written: Node| {
        let memory = m.mem(format!("{name}_table"), width, PORTS, MemStyle::Distributed);
        let enable = m.and(&[hit, is_written]);
        let data = m.slice(wdata, 0, width);
        m.mem_write(memory, write_port, data, enable);
        let value = m.mem_read_async(memory, port);
        let given = m.gate(known, value);
        m.output(
            name,
            given,
            "of early_port; 0 for a port that the table does not have",
        );
        let read = m.mem_read_async(memory, read_port);
        m.zext(read, 32)
    };
    let writes_ifindex = m.not(writes_queue);
    let ifindex = column(m, "port_ifindex", 32, writes_ifindex);
    let queue = column(m, "port_queue", 16, writes_queue);
    PortTable {
        reads_here,
        word: m.mux(reads_queue, queue, ifindex),
        writes_here,
    }
}
