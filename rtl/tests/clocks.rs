//! Every rule of clocks and of foreign modules is broken once.

use hardpath_rtl::check::check;
use hardpath_rtl::foreign::{Foreign, Parameter};
use hardpath_rtl::{verilog, vhdl, Attributes, Clock, Design, Direction, MemStyle, Module, Node};

fn messages(design: &Design) -> String {
    match check(design) {
        Ok(()) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    }
}

/// A module with the clocks `clk` and `other`, and a value of each.
fn expect(wanted: &str, make: impl FnOnce(&mut Module, Clock, Node, Node)) {
    let mut m = Module::new("m", "");
    let other = m.clock("other", "other_rst");
    let a = m.input("a", 4, "");
    m.on(other);
    let b = m.input("b", 4, "");
    m.on(Clock::FIRST);
    make(&mut m, other, a, b);
    let mut design = Design::new();
    design.modules.push(m);
    let found = messages(&design);
    match wanted {
        "" => assert_eq!(found, ""),
        _ => assert!(found.contains(wanted), "wanted {wanted:?}, found {found:?}"),
    }
}

#[test]
fn what_belongs_to_a_clock_stays_there() {
    expect("", |m, other, a, b| {
        let held = m.delay("held", a);
        let one = m.constant(1, 4);
        let sum = m.add(held, one);
        m.output("x", sum, "");
        m.on(other);
        let sum = m.add(b, one);
        m.output("y", sum, "");
        m.output("z", one, "");
    });
}

#[test]
fn logic_between_clocks() {
    expect("is logic between the clocks clk and other", |m, _, a, b| {
        m.add(a, b);
    });
    expect(
        "register held belongs to the clock clk and reads n1",
        |m, _, _, b| {
            m.delay("held", b);
        },
    );
    expect(
        "the enable of register held belongs to the clock clk",
        |m, _, a, b| {
            let enable = m.bit(b, 0);
            m.hold("held", enable, a);
        },
    );
    expect(
        "output x belongs to the clock clk and reads",
        |m, _, _, b| {
            m.output("x", b, "");
        },
    );
    expect("assertion holds belongs to the clock clk", |m, _, _, b| {
        let bit = m.bit(b, 0);
        m.assert("holds", bit, "");
    });
    expect(
        "a write of memory words belongs to the clock clk",
        |m, _, a, b| {
            let words = m.mem("words", 4, 16, MemStyle::Auto);
            let one = m.one();
            m.mem_write(words, b, a, one);
        },
    );
    expect(
        "a read of memory words belongs to the clock clk",
        |m, _, _, b| {
            let words = m.mem("words", 4, 16, MemStyle::Auto);
            m.mem_read_async(words, b);
        },
    );
}

#[test]
fn borders_of_instances() {
    let design = |clocks: Vec<Clock>, swapped: bool| {
        let mut design = Design::new();
        let mut child = Module::new("child", "");
        let other = child.clock("other", "other_rst");
        let a = child.input("a", 1, "");
        child.output("a_out", a, "");
        child.on(other);
        let b = child.input("b", 1, "");
        child.output("b_out", b, "");
        let id = design.add(child);
        let mut top = Module::new("top", "");
        let fast = top.clock("fast", "fast_rst");
        let a = top.input("a", 1, "");
        top.on(fast);
        let b = top.input("b", 1, "");
        let child = &design.modules[id];
        let nodes = if swapped { [b, a] } else { [a, b] };
        let inputs = [("a", nodes[0]), ("b", nodes[1])];
        let both = [Clock::FIRST, fast];
        let placed = top.instance_of_clocks(child, id, "inner", &both, &inputs);
        let out = top.instance_output(child, placed, "b_out");
        top.output("out", out, "");
        top.instances[placed].clocks = clocks;
        design.add(top);
        design
    };
    let clock = Clock::from_u32;
    assert_eq!(messages(&design(vec![clock(0), clock(1)], false)), "");
    let swapped = messages(&design(vec![clock(0), clock(1)], true));
    assert!(
        swapped.contains("input a of instance inner belongs to the clock clk and reads"),
        "{swapped}"
    );
    // What comes out belongs to the clock that the instance was given.
    let exchanged = messages(&design(vec![clock(1), clock(0)], true));
    assert!(
        exchanged.contains("output out belongs to the clock fast and reads"),
        "{exchanged}"
    );
    let few = messages(&design(vec![clock(0)], false));
    assert!(few.contains("is given 1 clocks, its module has 2"), "{few}");
    let unknown = messages(&design(vec![clock(0), clock(7)], false));
    assert!(
        unknown.contains("instance inner belongs to clock7, which does not exist"),
        "{unknown}"
    );
}

#[test]
fn names_of_clocks() {
    expect("port other exists twice", |m, _, a, _| {
        m.output("other", a, "");
    });
    expect("clock name \"9\" is no identifier", |m, _, _, _| {
        m.clock("9", "nine");
    });
    expect("reset name module is a reserved word", |m, _, _, _| {
        m.clock("third", "module");
    });
    expect("clock clk has no port or no reset", |m, _, _, _| {
        m.clocks[Clock::FIRST].has_reset = false;
    });
}

#[test]
fn crossings() {
    let crossing = |is_crossing: bool| {
        move |m: &mut Module, other: Clock, a: Node, _: Node| {
            m.is_crossing = is_crossing;
            let held = m.delay("held", a);
            m.on(other);
            let settled = m.synchronize("seen", held);
            m.output("x", settled, "");
        }
    };
    expect("", crossing(true));
    expect("and its module is no crossing", crossing(false));
    expect("reads n2 (Not), which is no register", |m, other, a, _| {
        m.is_crossing = true;
        let not = m.not(a);
        m.on(other);
        m.synchronize("seen", not);
    });
    expect(
        "the synchronizer seen_0 reads register held of its own clock",
        |m, _, a, _| {
            m.is_crossing = true;
            let held = m.delay("held", a);
            m.synchronize("seen", held);
        },
    );
    expect("which is not settled", |m, other, a, _| {
        m.is_crossing = true;
        let held = m.delay("held", a);
        m.on(other);
        m.synchronize("seen", held);
        let first = m.nodes.keys().nth(3).unwrap();
        m.not(first);
    });
    expect(
        "seen_0 of another clock, which is not settled",
        |m, other, a, _| {
            m.is_crossing = true;
            let held = m.delay("held", a);
            m.on(other);
            m.synchronize("seen", held);
            let first = m.nodes.keys().nth(3).unwrap();
            m.on(Clock::FIRST);
            m.synchronize("back", first);
        },
    );
    expect("the synchronizer seen_0 has an enable", |m, other, a, b| {
        m.is_crossing = true;
        let held = m.delay("held", a);
        m.on(other);
        m.synchronize("seen", held);
        let first = m.regs.keys().nth(1).unwrap();
        m.regs[first].enable = Some(m.bit(b, 0));
    });
    let memory = |is_crossing: bool| {
        move |m: &mut Module, other: Clock, a: Node, b: Node| {
            m.is_crossing = is_crossing;
            let words = m.mem("words", 4, 16, MemStyle::Block);
            let one = m.one();
            m.mem_write(words, a, a, one);
            m.on(other);
            let word = m.mem_read_sync(words, b, one);
            m.output("x", word, "");
        }
    };
    expect("", memory(true));
    expect(
        "memory words has ports of the clocks clk and other",
        memory(false),
    );
    expect(
        "memory words is written with several clocks",
        |m, other, a, b| {
            m.is_crossing = true;
            let words = m.mem("words", 4, 16, MemStyle::Block);
            let one = m.one();
            m.mem_write(words, a, a, one);
            m.on(other);
            m.mem_write(words, b, b, one);
        },
    );
}

/// Through two borders, at each of which the clocks stand in another order.
#[test]
fn crossings_are_those_of_the_top() {
    let mut inner = Module::new("inner", "");
    inner.is_crossing = true;
    let other = inner.clock("other", "other_rst");
    let a = inner.input("a", 1, "");
    let held = inner.delay("held", a);
    inner.on(other);
    let seen = inner.synchronize("seen", held);
    inner.output("b", seen, "");
    // `clocks`: of the first clock and of the second one of the inner module, in the outer one and in the top.
    let found = |clocks: [[u32; 2]; 2]| -> Vec<(u32, u32)> {
        let mut design = Design::new();
        let mut id = design.add(inner.clone());
        for (name, own) in ["outer", "top"].into_iter().zip(clocks) {
            let mut m = Module::new(name, "");
            m.clock("second", "second_rst");
            m.clock("third", "third_rst");
            let mut of_callee = own.map(Clock::from_u32).to_vec();
            let callee = &design.modules[id];
            of_callee.extend((of_callee.len()..callee.clocks.len()).map(|_| Clock::FIRST));
            m.on(of_callee[callee.ports[0].clock.as_u32() as usize]);
            let a = m.input("a", 1, "");
            let placed = m.instance_of_clocks(callee, id, "placed", &of_callee, &[("a", a)]);
            let b = m.instance_output(callee, placed, "b");
            m.on(of_callee[callee.ports[1].clock.as_u32() as usize]);
            m.output("b", b, "");
            id = design.add(m);
        }
        assert_eq!(messages(&design), "");
        let pairs = hardpath_rtl::crossings::crossings(&design);
        let numbers = pairs.iter().map(|(from, to)| (from.as_u32(), to.as_u32()));
        numbers.collect()
    };
    assert_eq!(found([[0, 1], [0, 1]]), [(0, 1)]);
    assert_eq!(found([[1, 0], [2, 1]]), [(1, 2)]);
    assert_eq!(found([[1, 0], [0, 2]]), [(2, 0)]);
    // One clock in the top, or in between: nothing crosses.
    assert_eq!(found([[0, 1], [2, 2]]), []);
    assert_eq!(found([[1, 1], [0, 1]]), []);
}

/// An inverter that others wrote, in a design.
fn foreign(change: impl FnOnce(&mut Module)) -> Design {
    let mut inverter = Module::foreign_logic(
        "inverter",
        "",
        Foreign {
            name: "inv".into(),
            parameters: vec![("WIDTH".into(), Parameter::Integer(4))],
            verilog: Some("module inv; endmodule\n".into()),
            vhdl: Some("entity inv is end;\n".into()),
            model: None,
        },
    );
    let a = inverter.input("a", 4, "");
    inverter.foreign_output("b", 4, &[a], "");
    change(&mut inverter);
    let mut design = Design::new();
    let id = design.add(inverter);
    let mut top = Module::new("top", "");
    let a = top.input("a", 4, "");
    let callee = &design.modules[id];
    let placed = top.instance(callee, id, "inner", &[("a", a)]);
    let b = top.instance_output(callee, placed, "b");
    top.output("b", b, "");
    design.add(top);
    design
}

fn text_of(module: &mut Module) -> &mut Foreign {
    module.foreign.as_mut().expect("it is foreign")
}

#[test]
fn foreign_modules() {
    assert_eq!(messages(&foreign(|_| {})), "");
    type Case = (&'static str, fn(&mut Module));
    let cases: [Case; 8] = [
        ("is foreign, and computes n2", |m| {
            m.zero(1);
        }),
        ("is foreign, and has registers", |m| {
            m.mem("words", 4, 4, MemStyle::Auto);
        }),
        (
            "is foreign, and output b comes from a node of its own",
            |m| {
                m.ports[1].direction = Direction::Output(Node::from_u32(0));
            },
        ),
        ("follows what is no input", |m| {
            m.foreign_output("c", 1, &[Node::from_u32(1)], "");
        }),
        ("has 4 bits instead of 5", |m| m.ports[1].width = 5),
        ("foreign name \"a b\" is no identifier", |m| {
            text_of(m).name = "a b".into();
        }),
        ("parameter width is given twice", |m| {
            let again = ("width".to_string(), Parameter::Integer(5));
            text_of(m).parameters.push(again);
        }),
        (
            "parameter S has bits above its width, none, or characters",
            |m| {
                let text = Parameter::Text("\"".to_string());
                text_of(m).parameters.push(("S".to_string(), text));
            },
        ),
    ];
    for (wanted, case) in cases {
        let found = messages(&foreign(case));
        assert!(found.contains(wanted), "wanted {wanted:?}, found {found:?}");
    }
}

#[test]
fn names_of_foreign_texts() {
    let clash = messages(&foreign(|m| text_of(m).name = "Top".into()));
    assert!(
        clash.contains("the design has a module of the foreign name Top"),
        "{clash}"
    );
    let mut design = foreign(|_| {});
    let mut other = design.modules.values().next().unwrap().clone();
    other.name = "other".to_string();
    text_of(&mut other).verilog = None;
    let mut modules = vec![other];
    modules.extend(design.modules.values().cloned());
    let mut both = Design::new();
    modules.into_iter().for_each(|module| {
        both.modules.push(module);
    });
    let found = messages(&both);
    assert!(
        found.contains("inv is the name of another text in other"),
        "{found}"
    );
    // Alone at the top there is nothing to print.
    let first = design.modules.values().next().unwrap().clone();
    design = Design::new();
    design.modules.push(first);
    assert!(messages(&design).contains("is the top, and foreign"));
    let mut plain = Module::new("plain", "");
    plain.foreign_output("x", 1, &[], "");
    design = Design::new();
    design.modules.push(plain);
    assert!(messages(&design).contains("has an output of a foreign module, and is none"));
}

#[test]
fn a_missing_text_is_an_error_in_its_language_only() {
    let design = foreign(|m| text_of(m).vhdl = None);
    let files = verilog::print(&design).unwrap();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["inv.sv", "top.sv"]);
    assert_eq!(
        vhdl::print(&design).unwrap_err().to_string(),
        "module inverter cannot be printed in VHDL: the foreign module inv has no text in this language: give it, or print \
         the design in another one"
    );
    let design = foreign(|m| text_of(m).verilog = None);
    assert!(verilog::print(&design).is_err());
    assert_eq!(vhdl::print(&design).unwrap().len(), 3);
    let mut design = foreign(|_| {});
    design.modules.values_mut().next().unwrap().ports[0].name = "a__b".into();
    let error = vhdl::print(&design).unwrap_err().to_string();
    assert!(
        error.contains("has a__b, which is no name in this language"),
        "{error}"
    );
}

/// The marks are those of the tools that the design is for.
#[test]
fn synchronizers_are_marked() {
    for (attributes, mark) in [
        (Attributes::Amd, "ASYNC_REG"),
        (Attributes::Quartus, "SYNCHRONIZER_IDENTIFICATION"),
    ] {
        let mut m = Module::new("m", "");
        m.is_crossing = true;
        let other = m.clock("other", "other_rst");
        let a = m.input("a", 4, "");
        let held = m.delay("held", a);
        m.on(other);
        let settled = m.synchronize("seen", held);
        m.output("x", settled, "");
        let mut design = Design::new();
        design.attributes = attributes;
        design.add(m);
        for files in [verilog::print(&design), vhdl::print(&design)] {
            let text: String = files.unwrap().into_iter().map(|(_, text)| text).collect();
            let marked = text.lines().filter(|line| line.contains(mark));
            let marked = marked.filter(|line| line.contains("seen_")).count();
            assert_eq!(marked, 2, "{text}");
        }
    }
}
