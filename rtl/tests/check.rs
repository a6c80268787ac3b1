//! Every rule of `hardpath_rtl::check` is broken once.

use hardpath_rtl::check::{address_bits, check};
use hardpath_rtl::dependence::dependences;
use hardpath_rtl::{Clock, Design, MemStyle, MemWrite, Module, ModuleId, Node, NodeData, NodeOp};

fn design(modules: Vec<Module>) -> Design {
    let mut design = Design::new();
    for module in modules {
        design.modules.push(module);
    }
    design
}

/// All messages about a module that `break_it` makes wrong.
fn messages(break_it: impl FnOnce(&mut Module)) -> String {
    let mut module = Module::new("m", "");
    break_it(&mut module);
    match check(&design(vec![module])) {
        Ok(()) => String::new(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    }
}

fn expect(wanted: &str, break_it: impl FnOnce(&mut Module)) {
    let found = messages(break_it);
    assert!(found.contains(wanted), "wanted {wanted:?}, found {found:?}");
}

fn raw(m: &mut Module, op: NodeOp, args: Vec<Node>, width: u32) -> Node {
    m.nodes.push(NodeData {
        op,
        args,
        width,
        name: None,
        comment: None,
        section: None,
    })
}

#[test]
fn a_good_module_passes() {
    assert_eq!(
        messages(|m| {
            let a = m.input("a", 8, "");
            let sum = m.add(a, a);
            let held = m.delay_reset("held", sum);
            m.output("b", held, "");
        }),
        ""
    );
}

#[test]
fn a_design_has_a_module() {
    assert!(check(&Design::new()).is_err());
}

#[test]
fn names() {
    expect("is no identifier", |m| m.name = "a.b".to_string());
    expect("is a reserved word", |m| m.name = "module".to_string());
    expect(
        "port output is a reserved word"
            .replace("port ", "port name ")
            .as_str(),
        |m| {
            m.input("output", 1, "");
        },
    );
    expect("port clk exists twice", |m| {
        m.input("clk", 1, "");
    });
    expect("port a exists twice", |m| {
        m.input("a", 1, "");
        m.input("a", 1, "");
    });
    expect("register name \"9\" is no identifier", |m| {
        let zero = m.zero(1);
        m.delay("9", zero);
    });
    let twice = design(vec![Module::new("m", ""), Module::new("m", "")]);
    assert!(check(&twice).unwrap_err()[0]
        .message
        .contains("two modules"));
}

#[test]
fn widths() {
    type Case = (&'static str, fn(&mut Module, Node, Node));
    let cases: [Case; 16] = [
        ("argument of 4 bits instead of 8", |m, a, b| {
            raw(m, NodeOp::Add, vec![a, b], 8);
        }),
        ("has 1 arguments instead of two or more", |m, a, _| {
            raw(m, NodeOp::And, vec![a], 8);
        }),
        ("has 3 arguments instead of two", |m, a, _| {
            raw(m, NodeOp::Add, vec![a, a, a], 8);
        }),
        ("has 8 bits instead of 1", |m, a, _| {
            raw(m, NodeOp::Eq, vec![a, a], 8);
        }),
        ("argument of 4 bits instead of 8", |m, a, b| {
            raw(m, NodeOp::Ult, vec![a, b], 1);
        }),
        ("argument of 8 bits instead of 1", |m, a, _| {
            raw(m, NodeOp::Mux, vec![a, a, a], 8);
        }),
        ("takes bits up to 8 of 8", |m, a, _| {
            raw(m, NodeOp::Slice { lo: 4 }, vec![a], 5);
        }),
        ("has 11 bits instead of 12", |m, a, b| {
            raw(m, NodeOp::Concat, vec![a, b], 11);
        }),
        ("extends 8 bits to 4", |m, a, _| {
            raw(m, NodeOp::ZExt, vec![a], 4);
        }),
        ("has 8 bits instead of 1", |m, a, _| {
            raw(m, NodeOp::ReduceOr, vec![a], 8);
        }),
        ("has bits above its width", |m, _, _| {
            raw(m, NodeOp::Const(vec![16]), vec![], 4);
        }),
        ("has 1 limbs instead of 2", |m, _, _| {
            raw(m, NodeOp::Const(vec![16]), vec![], 65);
        }),
        ("argument of 8 bits instead of 4", |m, a, b| {
            raw(m, NodeOp::Shl, vec![a, b], 4);
        }),
        ("has no bits", |m, _, _| {
            raw(m, NodeOp::Const(vec![]), vec![], 0);
        }),
        ("which is no input", |m, _, _| {
            raw(m, NodeOp::Input(7), vec![], 8);
        }),
        ("is not made before it", |m, _, _| {
            raw(m, NodeOp::Not, vec![Node::from_u32(99)], 8);
        }),
    ];
    for (wanted, case) in cases {
        expect(wanted, |m| {
            let a = m.input("a", 8, "");
            let b = m.input("b", 4, "");
            case(m, a, b);
        });
    }
}

#[test]
fn drivers() {
    expect("register held is not driven", |m| {
        m.reg("held", 8);
    });
    expect("driven exactly once", |m| {
        m.wire(8, "open");
    });
    expect(
        "the reset value of register held has bits above its width of 4",
        |m| {
            let zero = m.zero(4);
            let (reg, _) = m.reg_reset("held", 4, 16);
            m.set_next(reg, zero);
        },
    );
    expect("the enable of register held has 1 bits, its driver", |m| {
        let a = m.input("a", 8, "");
        let (reg, _) = m.reg("held", 8);
        m.set_next(reg, a);
        m.regs[reg].enable = Some(a);
    });
}

#[test]
fn memories() {
    let mem = |m: &mut Module, style, depth| {
        let address = m.input("address", 4, "");
        let data = m.input("data", 8, "");
        let enable = m.input("enable", 1, "");
        let mem = m.mem("words", 8, depth, style);
        m.mem_write(mem, address, data, enable);
        (mem, address, data, enable)
    };
    expect("memory words has 17 words, its address", |m| {
        mem(m, MemStyle::Auto, 17);
    });
    assert_eq!(
        messages(|m| {
            mem(m, MemStyle::Auto, 16);
        }),
        ""
    );
    expect("cannot be read asynchronously", |m| {
        let (mem, address, ..) = mem(m, MemStyle::Block, 16);
        m.mem_read_async(mem, address);
    });
    expect("has 2 write ports, at most 1", |m| {
        let (mem, address, data, enable) = mem(m, MemStyle::Distributed, 16);
        m.mem_write(mem, address, data, enable);
    });
    expect("written data of memory words has 8 bits", |m| {
        let (mem, address, _, enable) = mem(m, MemStyle::Auto, 16);
        m.mems[mem].writes.push(MemWrite {
            address,
            data: address,
            enable,
            part: None,
            clock: Clock::FIRST,
        });
    });
    expect(
        "words has words of 8 bits, which are no 3 equal parts",
        |m| {
            let (mem, address, data, _) = mem(m, MemStyle::Auto, 16);
            let enable = m.input("parts", 3, "");
            m.mems[mem].writes.push(MemWrite {
                address,
                data,
                enable,
                part: None,
                clock: Clock::FIRST,
            });
        },
    );
    assert_eq!(
        [1, 2, 3, 4, 5, 1024, 1025].map(address_bits),
        [1, 1, 2, 2, 3, 10, 11]
    );
}

#[test]
fn assertions_have_one_bit() {
    expect("assertion wide has 1 bits", |m| {
        let a = m.input("a", 8, "");
        m.asserts.push(hardpath_rtl::Assert {
            name: "wide".to_string(),
            condition: a,
            message: String::new(),
            clock: Clock::FIRST,
        });
    });
}

/// `out` follows `a` at once; `held` does not.
fn follower() -> Module {
    let mut m = Module::new("follower", "");
    let a = m.input("a", 1, "");
    let b = m.input("b", 1, "");
    let not = m.not(a);
    m.output("out", not, "");
    let held = m.delay("held", b);
    m.output("held_out", held, "");
    m
}

/// A ring through a follower: its output feeds the given input.
fn ring(from: &str, to: &str) -> Result<(), Vec<hardpath_rtl::check::CheckError>> {
    let mut design = Design::new();
    let callee = follower();
    let id = design.add(callee.clone());
    let mut top = Module::new("top", "");
    let other = top.input("other", 1, "");
    let back = top.wire(1, "back");
    let inputs: Vec<(&str, Node)> = ["a", "b"]
        .map(|port| (port, if port == to { back } else { other }))
        .to_vec();
    let instance = top.instance(&callee, id, "inner", &inputs);
    let output = top.instance_output(&callee, instance, from);
    top.drive(back, output);
    top.output("result", output, "");
    design.add(top);
    check(&design)
}

#[test]
fn loops_across_instances() {
    let errors = ring("out", "a").unwrap_err();
    assert!(
        errors[0].message.contains("combinational loop"),
        "{errors:?}"
    );
    assert!(errors[0].message.contains("back"), "{errors:?}");
    assert_eq!(ring("out", "b"), Ok(()));
    assert_eq!(ring("held_out", "a"), Ok(()));
}

#[test]
fn loops_through_wires_and_asynchronous_reads() {
    expect("combinational loop", |m| {
        let wire = m.wire(4, "address");
        let mem = m.mem("words", 4, 16, MemStyle::Auto);
        let word = m.mem_read_async(mem, wire);
        m.drive(wire, word);
    });
    assert_eq!(
        messages(|m| {
            let wire = m.wire(4, "address");
            let one = m.one();
            let mem = m.mem("words", 4, 16, MemStyle::Auto);
            let word = m.mem_read_sync(mem, wire, one);
            m.drive(wire, word);
        }),
        ""
    );
}

#[test]
fn what_an_output_depends_on() {
    let design = design(vec![follower()]);
    let known = dependences(&design).unwrap();
    let outputs = &known[ModuleId::from_u32(0)].outputs;
    assert_eq!(outputs[&2].iter().copied().collect::<Vec<u32>>(), [0]);
    assert!(outputs[&3].is_empty());
}

#[test]
fn instances() {
    let mut design = Design::new();
    let callee = follower();
    let id = design.add(callee.clone());
    let mut top = Module::new("top", "");
    let a = top.input("a", 1, "");
    let wide = top.input("wide", 2, "");
    let inner = top.instance(&callee, id, "inner", &[("a", a)]);
    top.instances[inner].inputs.push((0, wide));
    let own = top.instance(&callee, id, "own", &[("a", a), ("b", a)]);
    top.instances[own].module = ModuleId::from_u32(1);
    design.add(top);
    let text: String = check(&design)
        .unwrap_err()
        .iter()
        .map(|error| format!("{error}\n"))
        .collect();
    assert!(
        text.contains("input a of instance inner has 2 drivers"),
        "{text}"
    );
    assert!(
        text.contains("input b of instance inner has 0 drivers"),
        "{text}"
    );
    assert!(
        text.contains("instance own is of a module that does not stand before"),
        "{text}"
    );
}
