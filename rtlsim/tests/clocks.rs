//! Designs with several clocks, and foreign modules.

use hardpath_rtl::check::check;
use hardpath_rtl::foreign::{Foreign, MakeModel, Model, Values};
use hardpath_rtl::{Clock, Design, MemStyle, Module};
use hardpath_rtlsim::{SimError, Simulator};

fn get(simulator: &Simulator, name: &str) -> u64 {
    simulator.get_u64(simulator.output(name).expect("an output"))
}

fn set(simulator: &mut Simulator, name: &str, value: u64) {
    let port = simulator.input(name).expect("an input");
    simulator.set_u64(port, value);
}

/// The edges of the clocks of those names.
fn step(simulator: &mut Simulator, clocks: &[&str]) -> Result<(), SimError> {
    let clocks = clocks.iter().map(|name| simulator.clock(name));
    let clocks: Vec<_> = clocks.map(|clock| clock.expect("a clock")).collect();
    simulator.step_on(&clocks)
}

/// In one module two counters, of a clock each, behind delays. The second one is a child that knows one clock.
fn counters() -> Design {
    let mut design = Design::new();
    let mut child = Module::new("counter", "");
    let enable = child.input("enable", 1, "");
    let (reg, count) = child.reg_reset("count", 8, 5);
    let next = child.add_const(count, 1);
    child.set_next_when(reg, enable, next);
    let late = child.delay("late", count);
    let later = child.delay("later", late);
    child.output("count", count, "");
    child.output("later", later, "");
    let id = design.add(child);

    let mut top = Module::new("top", "");
    let slow = top.clock("slow", "slow_rst");
    for (clock, name) in [(Clock::FIRST, "fast"), (slow, "slow")] {
        top.on(clock);
        let enable = top.input(format!("{name}_enable"), 1, "");
        let child = &design.modules[id];
        let placed = top.instance(child, id, name, &[("enable", enable)]);
        for output in ["count", "later"] {
            let value = top.instance_output(child, placed, output);
            top.output(format!("{name}_{output}"), value, "");
        }
        let limit = top.constant(9, 8);
        let count = top.instance_output(child, placed, "count");
        let small = top.ult(count, limit);
        top.assert(format!("{name}_small"), small, "it counts too far");
    }
    design.add(top);
    assert_eq!(check(&design), Ok(()));
    design
}

#[test]
fn each_clock_moves_what_is_its_own() {
    let mut simulator = Simulator::new(&counters()).unwrap();
    set(&mut simulator, "fast_enable", 1);
    set(&mut simulator, "slow_enable", 1);
    let mut counts = [(5, vec![0, 0]), (5, vec![0, 0])];
    let edges = [&["clk"][..], &["slow"], &["clk", "slow"], &[], &["clk"]];
    for clocks in edges {
        step(&mut simulator, clocks).unwrap();
        for ((count, late), name) in counts.iter_mut().zip(["fast", "slow"]) {
            assert_eq!(get(&simulator, &format!("{name}_count")), *count);
            assert_eq!(get(&simulator, &format!("{name}_later")), late[1]);
            let clock = if name == "fast" { "clk" } else { name };
            if clocks.contains(&clock) {
                late.insert(0, *count);
                *count += 1;
            }
        }
    }
    assert_eq!(simulator.peek("fast.count"), Some(vec![8]));
    assert_eq!(simulator.peek("slow.count"), Some(vec![7]));
    assert_eq!(simulator.clock_count(), 5);
}

#[test]
fn each_clock_has_its_reset_and_its_assertions() {
    let mut simulator = Simulator::new(&counters()).unwrap();
    set(&mut simulator, "fast_enable", 1);
    set(&mut simulator, "slow_enable", 1);
    for _ in 0..4 {
        step(&mut simulator, &["clk"]).unwrap();
    }
    // The fast one is broken, but its clock does not come; then it is reset.
    step(&mut simulator, &["slow"]).unwrap();
    set(&mut simulator, "rst", 1);
    set(&mut simulator, "slow_rst", 1);
    step(&mut simulator, &["clk"]).unwrap();
    assert_eq!(simulator.peek("fast.count"), Some(vec![5]));
    assert_eq!(simulator.peek("slow.count"), Some(vec![6]));
    set(&mut simulator, "rst", 0);
    step(&mut simulator, &["slow"]).unwrap();
    assert_eq!(simulator.peek("slow.count"), Some(vec![5]));
    for _ in 0..4 {
        step(&mut simulator, &["clk"]).unwrap();
    }
    match step(&mut simulator, &["clk"]) {
        Err(SimError::Assertion { name, clock, .. }) => {
            assert_eq!((name.as_str(), clock), ("fast_small", 11));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_memory_is_written_with_one_clock_and_read_with_another() {
    let mut m = Module::new("top", "");
    m.is_crossing = true;
    let reads = m.clock("reads", "reads_rst");
    let (address, data) = (m.input("address", 2, ""), m.input("data", 8, ""));
    let one = m.one();
    let words = m.mem("words", 8, 4, MemStyle::Block);
    m.mem_write(words, address, data, one);
    m.on(reads);
    let address = m.input("read_address", 2, "");
    let word = m.mem_read_sync(words, address, one);
    m.output("word", word, "");
    let mut design = Design::new();
    design.add(m);
    assert_eq!(check(&design), Ok(()));
    let mut simulator = Simulator::new(&design).unwrap();
    set(&mut simulator, "address", 1);
    set(&mut simulator, "read_address", 1);
    set(&mut simulator, "data", 7);
    step(&mut simulator, &["reads"]).unwrap();
    assert_eq!(simulator.peek("words[1]"), Some(vec![0]));
    // The word as it was before the write of the same edge.
    step(&mut simulator, &["clk", "reads"]).unwrap();
    assert_eq!(simulator.peek("words[1]"), Some(vec![7]));
    step(&mut simulator, &["clk"]).unwrap();
    assert_eq!(get(&simulator, "word"), 0);
    step(&mut simulator, &["reads"]).unwrap();
    step(&mut simulator, &["clk"]).unwrap();
    assert_eq!(get(&simulator, "word"), 7);
}

/// An accumulator of 100 bits: `sum` follows `add` at once, `held` is what it was before; `parity` follows `sum_in`.
#[derive(Default)]
struct Accumulate {
    held: u128,
}

fn limbs(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

impl Model for Accumulate {
    fn output(&self, output: usize, follows: &Values, value: &mut [u64]) {
        match output {
            0 => value.copy_from_slice(&limbs(self.held + u128::from(follows.get_u64(0)))),
            1 => value.copy_from_slice(&limbs(self.held)),
            _ => {
                let ones: u32 = follows.get(0).iter().map(|limb| limb.count_ones()).sum();
                value[0] = u64::from(ones) | 0xf0;
            }
        }
    }

    fn edge(&mut self, clocks: &[usize], inputs: &Values) {
        assert_eq!(clocks, [0]);
        if inputs.get_u64(2) == 1 {
            self.held += u128::from(inputs.get_u64(0));
        }
    }

    fn reset(&mut self, _clock: usize) {
        self.held = 1;
    }
}

fn accumulate(model: Option<MakeModel>) -> Module {
    let text = Foreign {
        name: "accumulate".into(),
        model,
        ..Foreign::default()
    };
    let mut foreign = Module::foreign("accumulate", "", text);
    let add = foreign.input("add", 33, "");
    let sum_in = foreign.input("sum_in", 100, "");
    foreign.input("enable", 1, "");
    foreign.foreign_output("sum", 100, &[add], "");
    foreign.foreign_output("held", 100, &[], "");
    foreign.foreign_output("ones", 4, &[sum_in], "");
    foreign
}

/// The sum goes around through the second output; `in_a_ring`: through the one that it follows.
fn around(model: Option<MakeModel>, in_a_ring: bool) -> Design {
    let mut design = Design::new();
    let id = design.add(accumulate(model));
    let callee = &design.modules[id];
    let mut m = Module::new("top", "");
    let (add, enable) = (m.input("add", 33, ""), m.input("enable", 1, ""));
    let back = m.wire(100, "back");
    let add = match in_a_ring {
        true => {
            let low = m.slice(back, 0, 33);
            m.xor(&[low, add])
        }
        false => add,
    };
    let inputs = [("add", add), ("sum_in", back), ("enable", enable)];
    let placed = m.instance(callee, id, "inner", &inputs);
    let sum = m.instance_output(callee, placed, "sum");
    m.drive(back, sum);
    let held = m.instance_output(callee, placed, "held");
    let ones = m.instance_output(callee, placed, "ones");
    m.output("sum", sum, "");
    m.output("held", held, "");
    m.output("ones", ones, "");
    design.add(m);
    design
}

#[test]
fn a_model_stands_for_a_foreign_module() {
    let model = MakeModel::new(Accumulate::default);
    let design = around(Some(model), false);
    assert_eq!(check(&design), Ok(()));
    let mut simulator = Simulator::new(&design).unwrap();
    let value = |simulator: &Simulator, name: &str| {
        let limbs = simulator.get(simulator.output(name).unwrap());
        u128::from(limbs[1]) << 64 | u128::from(limbs[0])
    };
    let mut held = 0u128;
    for clock in 0..50u64 {
        let add = (clock * 0x0123_4567_89ab) & 0x1_ffff_ffff;
        let (enable, reset) = (clock % 3 != 0, clock == 30);
        set(&mut simulator, "add", add);
        set(&mut simulator, "enable", enable.into());
        set(&mut simulator, "rst", reset.into());
        simulator.step().unwrap();
        let sum = held + u128::from(add);
        assert_eq!(value(&simulator, "sum"), sum, "clock {clock}");
        assert_eq!(value(&simulator, "held"), held);
        // Bits above the width are cut off.
        let ones = u64::from(sum.count_ones()) & 0xf;
        assert_eq!(get(&simulator, "ones"), ones);
        held = if enable { sum } else { held };
        held = if reset { 1 } else { held };
    }
}

/// Registers, memories and models of a fresh simulator are in their first state, and each goes its own way.
#[test]
fn a_fresh_simulator_begins_again() {
    let model = MakeModel::new(Accumulate::default);
    let mut first = Simulator::new(&around(Some(model), false)).unwrap();
    let run = |simulator: &mut Simulator| -> Vec<Vec<u64>> {
        let inputs = [("add", 5), ("enable", 1), ("rst", 0)];
        let clock = |_| {
            for (name, value) in inputs {
                set(simulator, name, value);
            }
            simulator.step().unwrap();
            let held = simulator.output("held").unwrap();
            simulator.get(held).to_vec()
        };
        (0..5).map(clock).collect()
    };
    let once = run(&mut first);
    let mut second = first.fresh();
    assert_eq!(second.clock_count(), 0);
    assert_eq!(run(&mut second), once);
    assert_ne!(run(&mut first), once);
    let mut third = second.fresh();
    drop((first, second));
    assert_eq!(run(&mut third), once);
}

#[test]
fn a_loop_through_a_foreign_module_is_found() {
    let model = MakeModel::new(Accumulate::default);
    let design = around(Some(model), true);
    let errors = check(&design).unwrap_err();
    assert!(
        errors[0].message.contains("combinational loop"),
        "{errors:?}"
    );
    let error = Simulator::new(&design).err();
    assert!(
        matches!(error, Some(SimError::CombinationalLoop(_))),
        "{error:?}"
    );
}

#[test]
fn without_a_model_nothing_runs() {
    let error = Simulator::new(&around(None, false)).err().unwrap();
    assert_eq!(
        error.to_string(),
        "instance inner is of the foreign module accumulate, which has no model: give it one to simulate the design here"
    );
}
