//! A small design with the ports of a generated one: a store-and-forward FIFO whose packets get a verdict from
//! their first byte, and a host port with one array map.
//!
//! First byte, lowest three bits: 0 ABORTED, 1 DROP, 2 PASS, 3 TX, 4 REDIRECT (to port + queue + time + random), 6:
//! what the lowest three bits of the map's entry 0 say (PASS or DROP), others ABORTED.

use hardpath_blocks::interface::{Interface, MapPort};
use hardpath_packet::Output;
use hardpath_registers::{command, register, Answer, KeyBits, Map, MAGIC};
use hardpath_rtl::{Design, MemStyle, Module, Node, NodeOp, Reg};

/// Beats that fit into the FIFO.
const DEPTH_BITS: u32 = 11;
const DESIGN_ID: u32 = 0x1234_5678;
/// One that does not find entries by itself.
const VERSION: u32 = 0x0003_0000;
/// Clocks after reset until STATUS says ready.
const READY_AFTER: u64 = 50;
pub const MAP_ENTRIES: u32 = 8;

/// What is wrong with the design, on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    None,
    /// An assertion that fails when a packet's first byte is 7.
    Assertion,
}

pub fn toy(bus_bits: u32, flaw: Flaw) -> (Design, Interface) {
    let mut module = Module::new("toy", "A store-and-forward FIFO with verdicts, for tests.");
    let m = &mut module;
    let map_says_pass = host(m);
    packets(m, bus_bits, map_says_pass, flaw);
    let mut design = Design::new();
    design.add(module);
    let interface = Interface {
        top: "toy".into(),
        bus_bits,
        lengths: (14, 9216),
        inputs: Vec::new(),
        outputs: vec![verdict()],
        has_time: true,
        has_random: true,
        has_egress: false,
        repeats: false,
        ahead_bytes: None,
        has_port_table: true,
        maps: vec![MapPort {
            map: Map {
                name: "table".into(),
                kind: "array".into(),
                key_bytes: 4,
                stored: KeyBits::all_vary(4),
                value_bytes: 6,
                max_entries: MAP_ENTRIES,
                slots: MAP_ENTRIES,
                select: 0,
            },
            journal: None,
            storage: None,
            room: None,
        }],
        design_id: DESIGN_ID,
        program: Vec::new(),
    };
    (design, interface)
}

/// What the toy says of each packet.
pub fn verdict() -> Output {
    let names = ["ABORTED", "DROP", "PASS", "TX", "REDIRECT"];
    Output {
        values: names.map(String::from).into(),
        ..Output::new("verdict", 3)
    }
}

fn packets(m: &mut Module, bus_bits: u32, map_says_pass: Node, flaw: Flaw) {
    let bus_bytes = bus_bits / 8;
    let data = m.input("s_axis_tdata", bus_bits, "");
    let keep = m.input("s_axis_tkeep", bus_bytes, "");
    let valid = m.input("s_axis_tvalid", 1, "");
    let last = m.input("s_axis_tlast", 1, "");
    let user = m.input("s_axis_tuser", 25, "");
    let time = m.input("time_ns", 64, "");
    let random = m.input("random", 32, "");
    let m_ready = m.input("m_axis_tready", 1, "");

    // In: beats are written at once and count when their packet's last beat is good.
    let (write_reg, write) = m.reg_reset("write", DEPTH_BITS, 0);
    let (good_reg, good_to) = m.reg_reset("good_to", DEPTH_BITS, 0);
    let (read_reg, read) = m.reg_reset("read", DEPTH_BITS, 0);
    let (length_reg, length) = m.reg_reset("length", 16, 0);
    let next_write = m.add_const(write, 1);
    let ready = m.ne(next_write, read);
    m.output("s_axis_tready", ready, "");
    let take = m.and(&[valid, ready]);

    let mut bytes = m.zero(16);
    for index in 0..bus_bytes {
        let bit = m.bit(keep, index);
        let bit = m.zext(bit, 16);
        bytes = m.add(bytes, bit);
    }
    let new_length = m.add(length, bytes);
    let zero = m.zero(16);
    let kept_length = m.mux(last, zero, new_length);
    m.set_next_when(length_reg, take, kept_length);

    let least = m.constant(14, 16);
    let most = m.constant(9216, 16);
    let long_enough = m.ule(least, new_length);
    let short_enough = m.ule(new_length, most);
    let bad = m.bit(user, 0);
    let not_bad = m.not(bad);
    let good = m.and(&[long_enough, short_enough, not_bad]);
    let commit = m.and(&[take, last, good]);
    m.set_next_when(good_reg, commit, next_write);
    let not_good = m.not(good);
    let roll_back = m.and(&[last, not_good]);
    let write_to = m.mux(roll_back, good_to, next_write);
    m.set_next_when(write_reg, take, write_to);

    let port = m.slice(user, 1, 8);
    let port = m.zext(port, 32);
    let queue = m.slice(user, 9, 16);
    let queue = m.zext(queue, 32);
    let time = m.slice(time, 0, 32);
    let sum = m.add(port, queue);
    let sum = m.add(sum, time);
    let sum = m.add(sum, random);
    let word = m.concat(&[sum, last, keep, data]);
    let fifo = m.mem(
        "fifo",
        bus_bits + bus_bytes + 33,
        1 << DEPTH_BITS,
        MemStyle::Distributed,
    );
    m.mem_write(fifo, write, word, take);

    // Out: the verdict is known at the first beat and kept for the others.
    let front = m.mem_read_async(fifo, read);
    let out_data = m.slice(front, 0, bus_bits);
    let out_keep = m.slice(front, bus_bits, bus_bytes);
    let out_last = m.bit(front, bus_bits + bus_bytes);
    let out_sum = m.slice(front, bus_bits + bus_bytes + 1, 32);
    let has_beat = m.ne(read, good_to);
    let (inside_reg, inside) = m.reg_reset("inside", 1, 0);
    let (verdict_reg, kept_verdict) = m.reg("kept_verdict", 3);
    let (sum_reg, kept_sum) = m.reg("kept_sum", 32);

    let asked = m.slice(out_data, 0, 3);
    let verdict = first_verdict(m, asked, map_says_pass);
    let verdict = m.mux(inside, kept_verdict, verdict);
    let sum = m.mux(inside, kept_sum, out_sum);
    m.set_next(verdict_reg, verdict);
    m.set_next(sum_reg, sum);

    let two = m.constant(2, 3);
    let sent_on = m.ule(two, verdict);
    let out_valid = m.and(&[has_beat, sent_on]);
    let swallowed = m.not(sent_on);
    let may_leave = m.or(&[swallowed, m_ready]);
    let leaves = m.and(&[has_beat, may_leave]);
    let next_read = m.add_const(read, 1);
    m.set_next_when(read_reg, leaves, next_read);
    let not_last = m.not(out_last);
    m.set_next_when(inside_reg, leaves, not_last);
    let strobe = m.and(&[leaves, out_last]);

    let redirects = m.eq_const(verdict, 4);
    let nowhere = m.zero(32);
    let index = m.mux(redirects, sum, nowhere);
    let no = m.zero(1);
    let destination = m.concat(&[no, redirects, index]);
    let fate = m.concat(&[sent_on, verdict]);
    m.output("m_axis_tdata", out_data, "");
    m.output("m_axis_tkeep", out_keep, "");
    m.output("m_axis_tvalid", out_valid, "");
    m.output("m_axis_tlast", out_last, "");
    m.output("m_axis_tuser", verdict, "");
    m.output("m_axis_tdest", destination, "");
    m.output("fate_valid", strobe, "");
    m.output("fate", fate, "");

    if flaw == Flaw::Assertion {
        let not_seven = m.eq_const(asked, 7);
        let first = m.not(inside);
        let broken = m.and(&[has_beat, first, not_seven]);
        let holds = m.not(broken);
        m.assert("no_seven", holds, "a packet begins with 7");
    }
}

fn first_verdict(m: &mut Module, asked: Node, map_says_pass: Node) -> Node {
    let four = m.constant(4, 3);
    let known = m.ule(asked, four);
    let aborted = m.zero(3);
    let by_byte = m.mux(known, asked, aborted);
    let pass = m.constant(2, 3);
    let drop = m.constant(1, 3);
    let by_map = m.mux(map_says_pass, pass, drop);
    let asks_map = m.eq_const(asked, 6);
    m.mux(asks_map, by_map, by_byte)
}

/// The host port. Gives whether entry 0 of the map has the value PASS.
fn host(m: &mut Module) -> Node {
    let awaddr = m.input("s_axil_awaddr", 16, "");
    let awvalid = m.input("s_axil_awvalid", 1, "");
    let wdata = m.input("s_axil_wdata", 32, "");
    m.input("s_axil_wstrb", 4, "");
    let wvalid = m.input("s_axil_wvalid", 1, "");
    let bready = m.input("s_axil_bready", 1, "");
    let araddr = m.input("s_axil_araddr", 16, "");
    let arvalid = m.input("s_axil_arvalid", 1, "");
    let rready = m.input("s_axil_rready", 1, "");

    // A write is taken when address and data stand there, a read at once; one answer at a time.
    let (b_reg, bvalid) = m.reg_reset("bvalid", 1, 0);
    let b_free = m.not(bvalid);
    let writes = m.and(&[awvalid, wvalid, b_free]);
    m.output("s_axil_awready", writes, "");
    m.output("s_axil_wready", writes, "");
    m.output("s_axil_bvalid", bvalid, "");
    let okay = m.zero(2);
    m.output("s_axil_bresp", okay, "");
    let b_waits = m.not(bready);
    let b_stays = m.and(&[bvalid, b_waits]);
    let b_next = m.or(&[writes, b_stays]);
    m.set_next(b_reg, b_next);
    let (r_reg, rvalid) = m.reg_reset("rvalid", 1, 0);
    let r_free = m.not(rvalid);
    let reads = m.and(&[arvalid, r_free]);
    m.output("s_axil_arready", r_free, "");
    m.output("s_axil_rvalid", rvalid, "");
    m.output("s_axil_rresp", okay, "");
    let r_waits = m.not(rready);
    let r_stays = m.and(&[rvalid, r_waits]);
    let r_next = m.or(&[reads, r_stays]);
    m.set_next(r_reg, r_next);

    let store = |m: &mut Module, name: &str, address: u32| {
        let (reg, value) = m.reg_reset(name, 32, 0);
        let here = m.eq_const(awaddr, u64::from(address));
        let enable = m.and(&[writes, here]);
        (reg, value, enable)
    };
    let simple = |m: &mut Module, name: &str, address: u32| {
        let (reg, value, enable) = store(m, name, address);
        m.set_next_when(reg, enable, wdata);
        value
    };
    let slot = simple(m, "slot", register::MAP_SLOT);
    let port_word = simple(m, "port_word", register::PORT_TABLE + 8 * 3 + 4);
    let (key_reg, key, key_written) = store(m, "key", register::KEY);
    let (low_reg, value_low, low_written) = store(m, "value_low", register::VALUE);
    let (high_reg, value_high, high_written) = store(m, "value_high", register::VALUE + 4);

    // A command waits three clocks, then acts in one.
    let (wait_reg, wait) = m.reg_reset("wait", 2, 0);
    let (command_reg, asked, started) = store(m, "command", register::MAP_COMMAND);
    m.set_next_when(command_reg, started, wdata);
    let busy = m.reduce_or(wait);
    let three = m.constant(3, 2);
    let one = m.constant(1, 2);
    let counted = m.sub(wait, one);
    let still = m.mux(busy, counted, wait);
    let wait_next = m.mux(started, three, still);
    m.set_next(wait_reg, wait_next);
    let acts = m.eq(wait, one);

    let is = |m: &mut Module, number: u32| m.eq_const(asked, u64::from(number));
    let is_update = is(m, command::UPDATE);
    let is_delete = is(m, command::DELETE);
    let is_dump = is(m, command::DUMP);
    let index = m.mux(is_dump, slot, key);
    let entries = m.constant(u64::from(MAP_ENTRIES), 32);
    let in_range = m.ult(index, entries);
    let out_of_range = m.not(in_range);
    let fails = m.or(&[out_of_range, is_delete]);
    let works = m.not(fails);
    let address = m.slice(index, 0, 3);
    let table = m.mem("table", 48, MAP_ENTRIES, MemStyle::Distributed);
    let found = m.mem_read_async(table, address);
    let high = m.slice(value_high, 0, 16);
    let given = m.concat(&[high, value_low]);
    let updates = m.and(&[acts, is_update, works]);
    m.mem_write(table, address, given, updates);
    let not_update = m.not(is_update);
    let gives = m.and(&[acts, not_update, works]);
    let gives_key = m.and(&[acts, is_dump, works]);

    let low = m.slice(found, 0, 32);
    let high = m.slice(found, 32, 16);
    let high = m.zext(high, 32);
    set_either(m, key_reg, key_written, wdata, gives_key, slot);
    set_either(m, low_reg, low_written, wdata, gives, low);
    set_either(m, high_reg, high_written, wdata, gives, high);
    let (answer_reg, answer) = m.reg_reset("answer", 16, 0);
    let bad_index = m.constant(Answer::BadIndex.code().into(), 16);
    let zero = m.zero(16);
    let answer_next = m.mux(fails, bad_index, zero);
    m.set_next_when(answer_reg, acts, answer_next);
    let answer = m.zext(answer, 31);
    let status_word = m.concat(&[busy, answer]);

    let (clocks_reg, clocks) = m.reg_reset("clocks", 32, 0);
    let clocks_next = m.add_const(clocks, 1);
    m.set_next(clocks_reg, clocks_next);
    let after = m.constant(READY_AFTER, 32);
    let is_ready = m.ult(after, clocks);
    let is_ready = m.zext(is_ready, 32);
    let constant = |m: &mut Module, value: u32| m.constant(u64::from(value), 32);
    let registers = [
        (register::MAGIC, constant(m, MAGIC)),
        (register::VERSION, constant(m, VERSION)),
        (register::DESIGN_ID, constant(m, DESIGN_ID)),
        (register::STATUS, is_ready),
        (register::MAP_STATUS, status_word),
        (register::PORT_TABLE + 8 * 3 + 4, port_word),
        (register::KEY, key),
        (register::VALUE, value_low),
        (register::VALUE + 4, value_high),
    ];
    let mut read = m.zero(32);
    for (address, value) in registers {
        let here = m.eq_const(araddr, u64::from(address));
        read = m.mux(here, value, read);
    }
    let (data_reg, rdata) = m.reg("rdata", 32);
    m.set_next_when(data_reg, reads, read);
    m.output("s_axil_rdata", rdata, "");

    let first = m.zero(3);
    let entry = m.mem_read_async(table, first);
    let entry = m.slice(entry, 0, 3);
    m.eq_const(entry, 2)
}

fn set_either(m: &mut Module, reg: Reg, first: Node, a: Node, second: Node, b: Node) {
    let enable = m.or(&[first, second]);
    let next = m.mux(first, a, b);
    debug_assert!(matches!(m.nodes[next].op, NodeOp::Mux));
    m.set_next_when(reg, enable, next);
}
