//! Small designs that together use everything of the hardware IR.

use crate::clocks;
use hardpath_rtl::{Design, MemStyle, Module, Node, NodeOp};

/// All of them, by the name of the top module.
pub fn all() -> Vec<Design> {
    vec![
        counter(),
        stages(),
        operations(),
        wide(),
        memories(),
        odd_memories(),
        instances(),
        awkward_names(),
        foreign_names(),
        leaves(),
        copies(),
        small_sums(),
        many_bits(),
        borrows(),
        clocks::several_clocks(),
    ]
}

fn design(module: Module) -> Design {
    let mut design = Design::new();
    design.add(module);
    design
}

/// The inputs of [`crate::random::module`].
fn random_inputs(m: &mut Module) -> Vec<Node> {
    (0..)
        .zip(crate::random::WIDTHS)
        .map(|(index, width)| m.input(format!("in{index}"), width, ""))
        .collect()
}

/// A register and its copies, which share its loads.
pub fn copies() -> Design {
    let mut m = Module::new("copies", "A select in three registers that stay apart.");
    let select = m.input("select", 1, "");
    let data = m.input("data", 6, "");
    let mut outputs = Vec::new();
    for (index, select) in m
        .delay_copies("select_reg", select, 3)
        .into_iter()
        .enumerate()
    {
        let data = m.slice(data, 2 * index as u32, 2);
        outputs.push(m.gate(select, data));
    }
    let outputs = m.concat(&outputs);
    m.output("selected", outputs, "");
    design(m)
}

/// An enable of 300 registers, which is spread.
pub fn spread() -> Design {
    let mut m = Module::new("spread", "An enable of many loads.");
    let enable = m.input("enable", 1, "");
    let data = m.input("data", 300, "");
    let enable = m.delay_reset("enable_reg", enable);
    let held = m.hold("held", enable, data);
    m.output("held_data", held, "");
    let mut design = design(m);
    hardpath_rtl::spread::spread(&mut design, 192);
    design
}

/// Orders of words, as borrows; one of few bits and one with a constant stay. It has the inputs of [`crate::random::module`].
pub fn borrows() -> Design {
    let mut m = Module::new("borrows", "Orders of two words.");
    let inputs = random_inputs(&mut m);
    let [a, b] = [(inputs[6], "a"), (inputs[7], "b")].map(|(input, name)| {
        let word = m.slice(input, 0, 40);
        m.delay(name, word)
    });
    let [few_a, few_b] = [a, b].map(|word| m.slice(word, 0, 3));
    let limit = m.constant(1 << 39, 40);
    let orders = [
        ("less", NodeOp::Ult, a, b),
        ("at_most", NodeOp::Ule, a, b),
        ("less_signed", NodeOp::Slt, a, b),
        ("at_most_signed", NodeOp::Sle, a, b),
        ("less_of_few", NodeOp::Ult, few_a, few_b),
        ("below_limit", NodeOp::Ult, a, limit),
    ];
    for (name, op, a, b) in orders {
        let order = m.compare(op, a, b);
        m.name(order, name);
        let order = m.delay(format!("{name}_reg"), order);
        m.output(format!("is_{name}"), order, "");
    }
    let mut design = design(m);
    hardpath_rtl::borrow::by_borrow(&mut design, 4);
    design
}

/// A counter with enable, reset and an assertion.
fn counter() -> Design {
    let mut m = Module::new(
        "counter",
        "Counts the clocks in which `enable` is 1.\n\nThe count wraps at its width.",
    );
    let enable = m.input("enable", 1, "Counts when 1.");
    let (reg, count) = m.reg_reset("count", 16, 3);
    m.regs[reg].comment = Some("clocks seen so far".to_string());
    let next = m.add_const(count, 1);
    m.set_next_when(reg, enable, next);
    m.output("count", count, "Clocks counted.");
    let small = m.constant(0xfff0, 16);
    let small = m.ult(count, small);
    m.assert(
        "no_overflow",
        small,
        "the counter is about to wrap: 100% \"full\"",
    );
    design(m)
}

/// A piece of a packet pipeline, with sections, comments, names and data that is not reset.
fn stages() -> Design {
    let mut m = Module::new("stages", "Two stages that look at an Ethernet header.");
    let data = m.input(
        "s_data",
        512,
        "First frame of a packet; byte 0 in bits 7:0.",
    );
    let valid = m.input("s_valid", 1, "A packet enters.");
    let length = m.input("s_length", 16, "Its length in bytes.");

    m.section("Stage 1: parse");
    let low = m.slice(data, 96, 8);
    let high = m.slice(data, 104, 8);
    let eth_type = m.concat(&[low, high]);
    m.name(eth_type, "eth_type_s1");
    m.comment(eth_type, "listing1.c:21: h_proto = eth->h_proto");
    let is_ip = m.eq_const(eth_type, 0x0800);
    let is_ip6 = m.eq_const(eth_type, 0x86dd);
    let minimum = m.constant(34, 16);
    let long_enough = m.ule(minimum, length);
    m.name(long_enough, "long_enough_s1");
    let ip_bad = m.not(long_enough);
    let source = m.slice(data, 208, 32);
    let valid_s2 = m.delay_reset("valid_s2", valid);
    let is_ip_s2 = m.delay("is_ip_s2", is_ip);
    let is_ip6_s2 = m.delay("is_ip6_s2", is_ip6);
    let bad_s2 = m.delay("bad_s2", ip_bad);
    let source_s2 = m.delay("source_s2", source);

    m.section("Stage 2: decide");
    let aborted = m.constant(0, 3);
    let drop = m.constant(1, 3);
    let pass = m.constant(2, 3);
    let tx = m.constant(3, 3);
    let blocked = m.eq_const(source_s2, 0x0a00_0001);
    m.name(blocked, "blocked_s2");
    let for_ip = m.mux(blocked, drop, pass);
    let otherwise = m.mux(is_ip6_s2, tx, aborted);
    let by_type = m.mux(is_ip_s2, for_ip, otherwise);
    let verdict = m.mux(bad_s2, drop, by_type);
    let done = m.delay_reset("done", valid_s2);
    let (reg, verdict_reg) = m.reg("verdict", 3);
    m.set_next_when(reg, valid_s2, verdict);
    m.output("verdict_valid", done, "Strobe.");
    m.output("verdict", verdict_reg, "`enum xdp_action`.");
    design(m)
}

const BINARY: [NodeOp; 6] = [
    NodeOp::And,
    NodeOp::Or,
    NodeOp::Xor,
    NodeOp::Add,
    NodeOp::Sub,
    NodeOp::Mul,
];
const COMPARES: [NodeOp; 6] = [
    NodeOp::Eq,
    NodeOp::Ne,
    NodeOp::Ult,
    NodeOp::Ule,
    NodeOp::Slt,
    NodeOp::Sle,
];
const SHIFTS: [NodeOp; 3] = [NodeOp::Shl, NodeOp::LShr, NodeOp::AShr];

fn binary(m: &mut Module, op: &NodeOp, a: Node, b: Node) -> Node {
    match op {
        NodeOp::And => m.and(&[a, b]),
        NodeOp::Or => m.or(&[a, b]),
        NodeOp::Xor => m.xor(&[a, b]),
        NodeOp::Add => m.add(a, b),
        NodeOp::Sub => m.sub(a, b),
        _ => m.mul(a, b),
    }
}

/// Every operation at narrow and wide widths, results widened and narrowed where Verilog is known to slip.
fn operations() -> Design {
    let mut m = Module::new("operations", "Every operation of the hardware IR.");
    for width in [1, 8, 33, 80] {
        m.section(format!("Width {width}"));
        let a = m.input(format!("a{width}"), width, "");
        let b = m.input(format!("b{width}"), width, "");
        let by = m.input(format!("by{width}"), 7, "");
        let mut all = Vec::new();
        for op in &BINARY {
            let result = binary(&mut m, op, a, b);
            // The carry must not come back when the result is widened.
            all.push(m.zext(result, width + 3));
            let inverted = m.not(result);
            all.push(m.sext(inverted, width + 3));
        }
        for op in &SHIFTS {
            let result = m.shift(op.clone(), a, by);
            all.push(m.sext(result, width + 3));
            let sum = m.add(a, b);
            let result = m.shift(op.clone(), sum, by);
            all.push(m.zext(result, width + 3));
        }
        let mut bits = Vec::new();
        for op in &COMPARES {
            let sum = m.add(a, b);
            bits.push(m.compare(op.clone(), a, b));
            bits.push(m.compare(op.clone(), sum, b));
        }
        bits.push(m.reduce_or(a));
        bits.push(m.reduce_and(a));
        bits.push(m.reduce_xor(a));
        let chosen = m.mux(bits[0], all[0], all[1]);
        all.push(chosen);
        all.push(m.concat(&bits));
        let result = m.concat(&all);
        m.output(format!("o{width}"), result, "");
    }
    design(m)
}

/// More than 512 bits, and constants of more than 64.
fn wide() -> Design {
    let mut m = Module::new(
        "wide",
        "Wide values, and amounts and constants of more than 64 bits.",
    );
    let a = m.input("a", 600, "");
    let by = m.input("by", 70, "");
    let far = m.input("by33", 33, "");
    let constant = m.constant_limbs(&[0x0123_4567_89ab_cdef, 0, 0, 7, u64::MAX, 0, 0, 0, 1], 600);
    let sum = m.add(a, constant);
    let shifted = m.shift(NodeOp::Shl, sum, by);
    let logical = m.shift(NodeOp::LShr, sum, far);
    let signed = m.shift(NodeOp::AShr, a, by);
    let nine = m.constant(9, 70);
    let by_nine = m.shift(NodeOp::AShr, a, nine);
    let too_far = m.constant(700, 70);
    let sign = m.shift(NodeOp::AShr, a, too_far);
    let ones = m.constant_limbs(&[u64::MAX; 10], 600);
    let inverted = m.xor(&[a, ones, shifted]);
    let all = m.xor(&[shifted, logical, signed, by_nine, sign, inverted]);
    m.output("o", all, "");
    let limit = m.constant(0, 600);
    let never = m.ult(a, limit);
    let always = m.ule(a, ones);
    let least = m.constant(0x80, 8);
    let byte = m.slice(a, 500, 8);
    let not_below = m.compare(NodeOp::Sle, least, byte);
    let bits = m.concat(&[never, always, not_below]);
    m.output("bits", bits, "");
    design(m)
}

/// A memory of each style.
fn memories() -> Design {
    let mut m = Module::new("memories", "A block RAM, LUT RAM, registers.");
    let address = m.input("address", 10, "");
    let data = m.input("data", 36, "");
    let write = m.input("write", 1, "");
    let read = m.input("read", 1, "");

    m.section("Counters");
    let block = m.mem("counters", 36, 1024, MemStyle::Block);
    m.mems[block].comment = Some("map counters: 1024 entries".to_string());
    m.mem_write(block, address, data, write);
    let q = m.mem_read_sync(block, address, read);
    m.output("counter", q, "");

    let parts = m.input("parts", 4, "");
    let lanes = m.mem("lanes", 36, 1024, MemStyle::Block);
    m.mem_write(lanes, address, data, parts);
    let lane = m.mem_read_sync(lanes, address, read);
    m.output("lane", lane, "");

    m.section("Small ones");
    let low = m.slice(address, 0, 5);
    let lut = m.mem("slots", 8, 32, MemStyle::Distributed);
    let byte = m.slice(data, 0, 8);
    m.mem_write(lut, low, byte, write);
    let slot = m.mem_read_async(lut, low);
    m.output("slot", slot, "");
    let one = m.one();
    let bits = m.mem("flags", 1, 4, MemStyle::Registers);
    let two = m.slice(address, 0, 2);
    let bit = m.bit(data, 0);
    m.mem_write(bits, two, bit, one);
    let always = m.mem_read_sync(bits, two, one);
    m.output("flag", always, "");
    let auto = m.mem("auto", 4, 16, MemStyle::Auto);
    let four = m.slice(address, 0, 4);
    let nibble = m.slice(data, 4, 4);
    m.mem_write(auto, four, nibble, write);
    let nibble = m.mem_read_async(auto, four);
    m.output("nibble", nibble, "");
    design(m)
}

/// Depth 1, depths that are no powers of two, addresses that are too wide, several ports.
fn odd_memories() -> Design {
    let mut m = Module::new("odd_memories", "Memories of odd depths.");
    let address = m.input("address", 20, "");
    let other = m.input("other", 20, "");
    let data = m.input("data", 24, "");
    let write = m.input("write", 1, "");
    let read = m.input("read", 1, "");
    let bit = m.bit(address, 0);
    let flag = m.bit(data, 0);

    let single = m.mem("single", 1, 1, MemStyle::Registers);
    m.mem_write(single, bit, flag, write);
    let value = m.mem_read_async(single, bit);
    m.output("single_value", value, "");

    let ten = m.mem("ten", 24, 10, MemStyle::Block);
    let nibble = m.slice(address, 3, 4);
    m.mem_write(ten, nibble, data, write);
    let value = m.mem_read_sync(ten, nibble, read);
    m.output("ten_value", value, "");

    let big = m.mem("big", 24, 5000, MemStyle::Ultra);
    m.mem_write(big, address, data, write);
    m.mem_write(big, other, data, read);
    let first = m.mem_read_sync(big, address, read);
    let second = m.mem_read_sync(big, other, read);
    let both = m.xor(&[first, second]);
    m.output("big_value", both, "");

    let lut = m.mem("table", 3, 200, MemStyle::Distributed);
    let three = m.slice(data, 2, 3);
    m.mem_write(lut, other, three, write);
    let value = m.mem_read_async(lut, other);
    let again = m.mem_read_async(lut, address);
    let value = m.add(value, again);
    m.output("table_value", value, "");

    // Nobody reads it, so it is not printed.
    let dead = m.mem("dead", 8, 16, MemStyle::Auto);
    let byte = m.slice(data, 0, 8);
    m.mem_write(dead, nibble, byte, write);
    m.mem_read_sync(dead, nibble, read);
    design(m)
}

/// Instances that feed each other, an output that nobody reads, a module without registers.
fn instances() -> Design {
    let mut design = Design::new();

    let mut adder = Module::new("adder", "Combinational: no clock is used.");
    let a = adder.input("a", 8, "");
    let b = adder.input("b", 8, "");
    let sum = adder.add(a, b);
    adder.output("sum", sum, "");
    let zero = adder.eq_const(sum, 0);
    adder.output("is_zero", zero, "");
    let adder_id = design.add(adder.clone());

    let mut stage = Module::new("stage", "A register with a handshake.");
    let value = stage.input("value", 8, "");
    let ready = stage.input("ready", 1, "");
    let held = stage.delay_reset("held", value);
    stage.output("value_out", held, "");
    let not_ready = stage.not(ready);
    stage.output("stall", not_ready, "Combinational from `ready`.");
    let stage_id = design.add(stage.clone());

    let mut top = Module::new(
        "instances",
        "Three instances in a ring that a register breaks.",
    );
    let input = top.input("input_value", 8, "");
    let ready = top.input("ready", 1, "");
    let back = top.wire(8, "back");
    let first = top.instance(&adder, adder_id, "first", &[("a", input), ("b", back)]);
    let sum = top.instance_output(&adder, first, "sum");
    let inputs = [("value", sum), ("ready", ready)];
    let hold = top.instance(&stage, stage_id, "hold", &inputs);
    top.instances[hold].comment = Some("Breaks the ring.".to_string());
    let held = top.instance_output(&stage, hold, "value_out");
    let stall = top.instance_output(&stage, hold, "stall");
    let doubled = top.add(held, held);
    let second = top.instance(&adder, adder_id, "second", &[("a", doubled), ("b", input)]);
    let result = top.instance_output(&adder, second, "sum");
    top.drive(back, held);
    top.output("result", result, "");
    top.output("stall", stall, "");
    design.add(top);
    design
}

/// Names that are taken, reserved or clash with ports.
fn awkward_names() -> Design {
    let mut m = Module::new(
        "awkward_names",
        "Wishes that cannot be granted as they are.",
    );
    let input = m.input("input_value", 4, "comment with \\");
    let (reg, always) = m.reg_reset("always", 4, 9);
    m.set_next(reg, input);
    let (reg, result) = m.reg("result", 4);
    m.set_next(reg, always);
    let one = m.add_const(result, 1);
    m.name(one, "delete");
    let two = m.add(one, always);
    m.name(two, "delete");
    m.comment(two, "verilator lint_off is no comment here\nsecond line");
    let wire = m.wire(4, "late");
    let early = m.xor(&[wire, input]);
    m.name(early, "uses_late");
    let late = m.and(&[one, two]);
    m.name(late, "late");
    m.drive(wire, late);
    m.name(input, "second_name");
    let named = m.or(&[input, early]);
    m.name(named, "second_name");
    m.output("result", result, "");
    m.output("other", named, "");
    m.output("late_out", wire, "");
    design(m)
}

/// Names of modules, ports and everything else that are good in SystemVerilog and not in VHDL.
fn foreign_names() -> Design {
    let mut design = Design::new();
    let mut block = Module::new("block", "Größer – a name that VHDL reserves.");
    let input = block.input("in", 4, "");
    let same = block.input("IN", 4, "");
    let sum = block.add(input, same);
    block.output("_sum__of_", sum, "4 bits → 4 bits");
    let id = design.add(block.clone());

    let mut top = Module::new("_foreign__names_", "");
    let signal = top.input("signal", 4, "");
    let inner = top.instance(&block, id, "label", &[("in", signal), ("IN", signal)]);
    let sum = top.instance_output(&block, inner, "_sum__of_");
    let (reg, held) = top.reg("Signal", 4);
    top.set_next(reg, sum);
    let words = top.mem("__words_", 4, 16, MemStyle::Auto);
    let one = top.one();
    top.mem_write(words, held, sum, one);
    let word = top.mem_read_sync(words, sum, one);
    let named = top.xor(&[word, held]);
    top.name(named, "unsigned_");
    let again = top.xor(&[named, signal]);
    top.name(again, "UNSIGNED");
    top.output("out", again, "");
    let is_small = top.constant(9, 4);
    let is_small = top.ult(named, is_small);
    top.assert("assert_", is_small, "größer als \"neun\"");
    design.add(top);
    design
}

/// Outputs that are inputs, constants, registers; inputs of which only parts are read.
fn leaves() -> Design {
    let mut m = Module::new("leaves", "");
    let a = m.input("a", 16, "");
    m.input("ignored", 9, "Nobody reads it.");
    let middle = m.slice(a, 4, 8);
    m.output("middle", middle, "");
    let constant = m.constant(0xbeef, 16);
    m.output("constant", constant, "");
    let b = m.input("b", 3, "");
    m.output("same", b, "");
    m.output("same_again", b, "");
    let unused = m.add(a, constant);
    m.name(unused, "nobody");
    // A register that only feeds itself is dead.
    let (reg, own) = m.reg("own", 8);
    let next = m.add_const(own, 1);
    m.set_next(reg, next);
    design(m)
}

/// Sums that stand where they are used, in places where a language could give them a carry. It has the inputs of
/// [`crate::random::module`].
pub fn small_sums() -> Design {
    let mut m = Module::new("small_sums", "Sums of few bits, in all kinds of places.");
    let inputs = random_inputs(&mut m);
    let (bit, seven, eight) = (inputs[0], inputs[3], inputs[4]);
    let (count_reg, count) = m.reg_reset("count", 7, 120);
    let (copy_reg, copy) = m.reg_reset("count_copy", 7, 120);
    let more = m.add_const(count, 9);
    m.set_next_when(count_reg, bit, more);
    m.set_next_when(copy_reg, bit, more);
    let both = m.concat(&[count, copy]);
    m.output("counts", both, "");
    // Each is a sum of its own, because nodes that are used twice are one.
    let mut wraps = |by: u64| m.add_const(seven, by);
    let (compared, wide, joined) = (wraps(100), wraps(101), wraps(102));
    let (negated, chosen, address) = (wraps(103), wraps(104), wraps(105));
    let equal = m.eq(compared, count);
    m.output("equal", equal, "");
    let extended = m.zext(wide, 8);
    let below = m.ult(extended, eight);
    m.output("below", below, "");
    let less = m.constant(99, 7);
    let less = m.sub(count, less);
    let joined = m.concat(&[joined, less, bit]);
    m.output("joined", joined, "");
    let negated = m.not(negated);
    m.output("negated", negated, "");
    let chosen = m.mux(bit, chosen, count);
    m.output("chosen", chosen, "");
    let words = m.mem("words", 8, 128, MemStyle::Distributed);
    m.mem_write(words, address, eight, bit);
    let word = m.mem_read_async(words, count);
    m.output("word", word, "");
    design(m)
}

/// Conditions of many bits, as words and as chains. It has the inputs of [`crate::random::module`].
pub fn many_bits() -> Design {
    let mut m = Module::new("many_bits", "Conditions of many bits.");
    let inputs = random_inputs(&mut m);
    let (one, other, seven, eight) = (inputs[0], inputs[1], inputs[3], inputs[4]);
    let mut bits: Vec<Node> = (0..4).map(|bit| m.slice(seven, bit, 1)).collect();
    let four = m.or(&bits);
    m.output("four", four, "");
    bits.push(one);
    let any = m.or(&bits);
    m.output("any_of_five", any, "");
    bits.push(other);
    let all = m.and(&bits);
    let not_all = m.not(all);
    m.output("not_all", not_all, "");
    let equal = m.eq_const(eight, 3);
    bits.push(equal);
    let chain = m.or(&bits);
    let both = m.and(&[chain, any]);
    m.output("chain", both, "");
    design(m)
}
