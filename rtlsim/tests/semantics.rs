//! Each rule of a design on its own, and designs that are refused.

use hardpath_rtl::*;
use hardpath_rtlsim::{SimError, Simulator};

fn simulate(modules: Vec<Module>) -> Result<Simulator, SimError> {
    let mut design = Design::new();
    for module in modules {
        design.add(module);
    }
    Simulator::new(&design)
}

/// Sets inputs, steps, gives the output `out`.
fn clock(simulator: &mut Simulator, inputs: &[(&str, u64)]) -> u64 {
    for (name, value) in inputs {
        let port = simulator.input(name).unwrap();
        simulator.set_u64(port, *value);
    }
    simulator.step().unwrap();
    simulator.get_u64(simulator.output("out").unwrap())
}

#[test]
fn reset_comes_before_enable_and_only_where_asked() {
    let mut m = Module::new("top", "");
    let (next, enable) = (m.input("next", 8, ""), m.input("enable", 1, ""));
    let (control, control_value) = m.reg_reset("control", 8, 0x5a);
    m.set_next_when(control, enable, next);
    let (data, data_value) = m.reg("data", 8);
    m.set_next_when(data, enable, next);
    let out = m.concat(&[control_value, data_value]);
    m.output("out", out, "");
    let mut simulator = simulate(vec![m]).unwrap();
    assert_eq!(clock(&mut simulator, &[("next", 7), ("enable", 1)]), 0x5a00);
    assert_eq!(clock(&mut simulator, &[("next", 9), ("enable", 0)]), 0x0707);
    assert_eq!(clock(&mut simulator, &[("rst", 1)]), 0x0707);
    assert_eq!(clock(&mut simulator, &[("enable", 1)]), 0x5a07);
    assert_eq!(clock(&mut simulator, &[("rst", 0)]), 0x5a09);
    assert_eq!(clock(&mut simulator, &[]), 0x0909);
    assert_eq!(simulator.clock_count(), 6);
}

#[test]
fn synchronous_reads_are_read_first_and_hold() {
    let mut m = Module::new("top", "");
    let (address, data) = (m.input("address", 3, ""), m.input("data", 16, ""));
    let (write, read) = (m.input("write", 1, ""), m.input("read", 1, ""));
    let words = m.mem("words", 16, 5, MemStyle::Block);
    let out = m.mem_read_sync(words, address, read);
    m.mem_write(words, address, data, write);
    m.output("out", out, "");
    let mut simulator = simulate(vec![m]).unwrap();
    clock(
        &mut simulator,
        &[("address", 4), ("data", 11), ("write", 1), ("read", 1)],
    );
    assert_eq!(
        clock(&mut simulator, &[("data", 12)]),
        0,
        "before the write"
    );
    assert_eq!(clock(&mut simulator, &[("read", 0), ("write", 0)]), 11);
    assert_eq!(clock(&mut simulator, &[("read", 1)]), 11, "held");
    assert_eq!(simulator.peek("words[4]"), Some(vec![12]));
    assert_eq!(simulator.peek("words.read0"), Some(vec![12]));
    // Words 5 to 7 do not exist.
    clock(
        &mut simulator,
        &[("address", 5), ("data", 99), ("write", 1)],
    );
    assert_eq!(clock(&mut simulator, &[("address", 7)]), 0);
    assert_eq!(clock(&mut simulator, &[("write", 0)]), 0);
    assert_eq!(simulator.peek("words[5]"), None);
    assert_eq!(simulator.peek("nothing"), None);
    let words = simulator.memory("words").unwrap();
    assert_eq!((words.stride, words.width, words.bytes.len()), (2, 16, 10));
    assert_eq!(words.bytes[8..], [12, 0]);
    assert!(words.bytes[..8].iter().all(|byte| *byte == 0));
    assert!(simulator.memory("words.read0").is_none());
}

#[test]
fn a_register_that_is_poked_goes_on_from_there() {
    let mut m = Module::new("top", "");
    let enable = m.input("enable", 1, "");
    let (count_reg, count) = m.reg_reset("count", 70, 3);
    let next = m.add_const(count, 1);
    m.set_next_when(count_reg, enable, next);
    let before = m.delay("before", count);
    let (high, low) = (m.slice(count, 64, 6), m.slice(count, 0, 8));
    let before = m.slice(before, 0, 8);
    let out = m.concat(&[high, low, before]);
    m.output("out", out, "");
    let mut simulator = simulate(vec![m]).unwrap();
    assert_eq!(clock(&mut simulator, &[("enable", 0)]), 0x0300);
    assert!(simulator.poke("count", &[0x50, 2]));
    assert_eq!(clock(&mut simulator, &[]), 0x25003);
    assert_eq!(clock(&mut simulator, &[("enable", 1)]), 0x25050, "held");
    assert_eq!(clock(&mut simulator, &[]), 0x25150);
    assert_eq!(clock(&mut simulator, &[("rst", 1)]), 0x25251);
    assert_eq!(clock(&mut simulator, &[("rst", 0)]) >> 8, 3);
    assert!(!simulator.poke("nothing", &[1]));
}

#[test]
fn a_narrow_word_in_a_wide_register_keeps_the_upper_bits_when_disabled() {
    let mut m = Module::new("top", "");
    let enable = m.input("enable", 1, "");
    let data = m.input("data", 60, "");
    let words = m.mem("words", 8, 1, MemStyle::Auto);
    let zero = m.zero(1);
    let word = m.mem_read_async(words, zero);
    let word = m.zext(word, 60);
    let (wide, wide_value) = m.reg("wide", 60);
    let empty = m.eq_const(wide_value, 0);
    // The register is set once; then it only ever takes the word, when enabled.
    let next = m.mux(empty, data, word);
    let any = m.or(&[empty, enable]);
    m.set_next_when(wide, any, next);
    let (copy, copy_value) = m.reg_reset("copy", 60, 1 << 50);
    m.set_next_when(copy, enable, word);
    let sum = m.add(wide_value, copy_value);
    m.output("out", sum, "");
    let mut simulator = simulate(vec![m]).unwrap();
    assert_eq!(clock(&mut simulator, &[("data", 7)]), 1 << 50);
    assert_eq!(clock(&mut simulator, &[]), (1 << 50) + 7);
    assert_eq!(clock(&mut simulator, &[("enable", 1)]), (1 << 50) + 7);
    assert_eq!(clock(&mut simulator, &[]), 0);
}

#[test]
fn the_last_of_two_writes_wins() {
    let mut m = Module::new("top", "");
    let address = m.input("address", 1, "");
    let words = m.mem("words", 100, 2, MemStyle::Auto);
    let one = m.one();
    for value in [3, 4] {
        let data = m.constant(value, 100);
        m.mem_write(words, address, data, one);
    }
    let out = m.mem_read_async(words, address);
    m.output("out", out, "");
    let mut simulator = simulate(vec![m]).unwrap();
    assert_eq!(clock(&mut simulator, &[]), 0);
    assert_eq!(clock(&mut simulator, &[]), 4);
}

#[test]
fn delay_lines_branch_and_close_to_rings() {
    let mut m = Module::new("top", "");
    let input = m.input("in", 40, "");
    let a = m.delay("a", input);
    let (b, c) = (m.delay("b", a), m.delay("c", a));
    let (d, e) = (m.delay("d", b), m.delay("e", c));
    let (x, x_value) = m.reg_reset("x", 4, 1);
    let (y, y_value) = m.reg_reset("y", 4, 2);
    m.set_next(x, y_value);
    m.set_next(y, x_value);
    let sum = m.add(d, e);
    let ring = m.concat(&[x_value, y_value]);
    m.output("out", sum, "");
    m.output("ring", ring, "");
    let mut simulator = simulate(vec![m]).unwrap();
    let ring = simulator.output("ring").unwrap();
    let sums: Vec<u64> = (1..8)
        .map(|value| {
            let sum = clock(&mut simulator, &[("in", value)]);
            let expected = if value % 2 == 1 { 0x12 } else { 0x21 };
            assert_eq!(simulator.get_u64(ring), expected);
            sum
        })
        .collect();
    assert_eq!(sums, [0, 0, 0, 2, 4, 6, 8]);
}

#[test]
fn assertions_say_where_and_when_but_not_in_reset() {
    let mut leaf = Module::new("leaf", "");
    let input = leaf.input("in", 1, "");
    leaf.assert("in_is_set", input, "the input must be 1");
    leaf.output("out", input, "");
    let mut top = Module::new("top", "");
    let input = top.input("in", 1, "");
    let mut design = Design::new();
    let leaf_id = design.add(leaf);
    let callee = &design.modules[leaf_id];
    let instance = top.instance(callee, leaf_id, "u_leaf", &[("in", input)]);
    let out = top.instance_output(callee, instance, "out");
    top.output("out", out, "");
    design.add(top);
    let mut simulator = Simulator::new(&design).unwrap();
    clock(&mut simulator, &[("in", 1)]);
    clock(&mut simulator, &[("in", 0), ("rst", 1)]);
    simulator.set_u64(simulator.input("rst").unwrap(), 0);
    let error = simulator.step().unwrap_err();
    assert_eq!(
        error.to_string(),
        "assertion u_leaf.in_is_set failed at clock 2: the input must be 1"
    );
}

/// Input to output and state to output cross in two instances of one module: a loop of instances, not of values.
#[test]
fn instances_may_feed_each_other() {
    let mut leaf = Module::new("leaf", "");
    let (a, b) = (leaf.input("a", 8, ""), leaf.input("b", 8, ""));
    let a_next = leaf.add_const(a, 1);
    let b_next = leaf.add_const(b, 2);
    leaf.output("a_out", a_next, "");
    leaf.output("b_out", b_next, "");
    let mut top = Module::new("top", "");
    let input = top.input("in", 8, "");
    let back = top.wire(8, "back");
    let mut design = Design::new();
    let id = design.add(leaf);
    let callee = &design.modules[id];
    let first = top.instance(callee, id, "first", &[("a", input), ("b", back)]);
    let forth = top.instance_output(callee, first, "a_out");
    let second = top.instance(callee, id, "second", &[("a", forth), ("b", forth)]);
    let returned = top.instance_output(callee, second, "b_out");
    top.drive(back, returned);
    let out = top.instance_output(callee, first, "b_out");
    top.output("out", out, "");
    design.add(top);
    let mut simulator = Simulator::new(&design).unwrap();
    assert_eq!(clock(&mut simulator, &[("in", 250)]), 255);
}

#[test]
fn ports_keep_to_their_width() {
    let mut m = Module::new("top", "");
    let input = m.input("in", 70, "");
    m.output("out", input, "");
    let mut simulator = simulate(vec![m]).unwrap();
    let (input, out) = (
        simulator.input("in").unwrap(),
        simulator.output("out").unwrap(),
    );
    assert_eq!((input.width(), out.width()), (70, 70));
    simulator.set(input, &[u64::MAX; 3]);
    simulator.step().unwrap();
    assert_eq!(simulator.get(out), [u64::MAX, 0x3f]);
    simulator.set(input, &[5]);
    simulator.step().unwrap();
    assert_eq!(simulator.get(out), [5, 0]);
    assert_eq!(simulator.input("out"), None);
    assert_eq!(simulator.output("in"), None);
}

#[test]
fn long_chains_of_logic_do_not_exhaust_the_stack() {
    let mut m = Module::new("top", "");
    let input = m.input("in", 32, "");
    let mut value = input;
    for _ in 0..20_000 {
        value = m.xor(&[value, input]);
        value = m.add(value, input);
    }
    m.output("out", value, "");
    let mut simulator = simulate(vec![m]).unwrap();
    let expected = (0..20_000).fold(77u32, |value, _| (value ^ 77).wrapping_add(77));
    assert_eq!(clock(&mut simulator, &[("in", 77)]), u64::from(expected));
}

fn refusal(module: Module) -> SimError {
    simulate(vec![module]).err().expect("a refusal")
}

#[test]
fn loops_are_refused_with_their_names() {
    let mut m = Module::new("top", "");
    let input = m.input("in", 4, "");
    let wire = m.wire(4, "again");
    let sum = m.add(wire, input);
    let sum = m.name(sum, "sum");
    m.drive(wire, sum);
    m.output("out", sum, "");
    assert_eq!(
        refusal(m),
        SimError::CombinationalLoop("sum <- again".into())
    );
}

#[test]
fn malformed_designs_are_refused() {
    let mut undriven = Module::new("top", "");
    let wire = undriven.wire(4, "open");
    undriven.output("out", wire, "");
    assert_eq!(
        refusal(undriven),
        SimError::Malformed("open is not driven".into())
    );

    let mut register = Module::new("top", "");
    let (_, value) = register.reg("state", 4);
    register.output("out", value, "");
    let expected = "register state is not driven";
    assert_eq!(refusal(register), SimError::Malformed(expected.into()));

    let mut widths = Module::new("top", "");
    let (a, b) = (widths.input("a", 4, ""), widths.input("b", 5, ""));
    let sum = widths.add(a, a);
    widths.nodes[sum].args[1] = b;
    widths.output("out", sum, "");
    assert!(matches!(refusal(widths), SimError::Malformed(_)));

    let mut slice = Module::new("top", "");
    let a = slice.input("a", 4, "");
    let part = slice.slice(a, 1, 3);
    slice.nodes[part].op = NodeOp::Slice { lo: 2 };
    slice.output("out", part, "");
    assert!(matches!(refusal(slice), SimError::Malformed(_)));

    let mut large = Module::new("top", "");
    let address = large.input("address", 32, "");
    let words = large.mem("words", 512, u32::MAX, MemStyle::Auto);
    let word = large.mem_read_async(words, address);
    large.output("out", word, "");
    assert!(matches!(refusal(large), SimError::TooLarge(_)));

    let nothing = Simulator::new(&Design::new()).err().expect("a refusal");
    assert!(matches!(nothing, SimError::Malformed(_)));
}
